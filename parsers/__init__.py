"""Text and bytes in, hand records out. Depends on :mod:`engine` only."""
