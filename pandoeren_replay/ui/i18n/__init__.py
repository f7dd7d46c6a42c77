"""Texts of the dashboard: one TOML file a language, same keys in each."""
