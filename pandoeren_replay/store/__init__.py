"""The store of hands: a folder of immutable DuckDB files (docs/store.md)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandoeren_replay.store.errors import StoreError
    from pandoeren_replay.store.store import Store, default_path

__all__ = ["Store", "StoreError", "default_path"]


def __getattr__(name: str) -> Any:
    # Loaded on first use: the command line must not wait for DuckDB to print its help.
    if name in ("Store", "default_path"):
        from pandoeren_replay.store import store

        return getattr(store, name)
    if name == "StoreError":
        from pandoeren_replay.store.errors import StoreError

        return StoreError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
