"""The one error of the store."""


class StoreError(Exception):
    """A store that cannot be read or written; the text is one sentence for the user."""
