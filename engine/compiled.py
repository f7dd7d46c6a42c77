"""How kernels over columns of hands are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

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
