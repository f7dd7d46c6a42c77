"""How kernels over columns of hands are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

_njit: Any = njit  # its annotations do not know the option that leaves references uncounted


def kernel(signature: Any = None, **options: Any) -> Callable[[F], F]:
    """A decorator like ``njit``, for functions that make no array of their own.

    The arrays they are given belong to whoever calls them from Python, so that their references
    need not be counted: for kernels that take a hand at a time that alone was a sixth of the time.
    A function that does make an array cannot be compiled so (Numba says that it needs NRT).
    """
    compiled: Callable[[F], F] = _njit(signature, cache=True, nogil=True, _nrt=False, **options)
    return compiled


@intrinsic
def fetch_ahead(typing_context: Any, array: Any, at: Any) -> Any:
    """Ask for the memory of an element of a flat array, which will be wanted a little later.

    A table that is larger than the caches is waited for at every look into it, unless it is told
    some looks before.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.gep(data, [args[1]])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        asked = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, kind, "llvm.prefetch.p0"
        )
        # For reading and writing, to be kept in every cache, data.
        builder.call(asked, [place, number(1), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), code
