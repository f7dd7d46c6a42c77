"""The errors of the store."""


class StoreError(Exception):
    """A store that cannot be read or written; the text is one sentence for the user."""


class NotThere(StoreError):
    """There is no store at that place, or no such hand in it."""
