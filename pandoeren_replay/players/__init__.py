"""The built-in simple players: how they bid and which cards they play."""
