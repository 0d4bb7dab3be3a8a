"""The settings, which can also be changed by command."""
