"""The commands of ``pandoeren``, one module for each group. Heavy imports stay inside functions."""
