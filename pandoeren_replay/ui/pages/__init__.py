"""The pages of the dashboard, one module each with a function ``page``."""
