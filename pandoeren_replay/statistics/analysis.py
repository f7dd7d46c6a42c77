"""Statistics that need evaluations."""

STATISTICS = ()
POPULATIONS = ()
