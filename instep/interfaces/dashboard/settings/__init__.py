"""The settings: what else only a command could change."""
