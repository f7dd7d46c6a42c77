"""Statistics over stored hands (docs/statistics.md)."""
