"""Contracts (being built on the statistics of the store)."""


def page() -> None:
    """Placeholder."""
