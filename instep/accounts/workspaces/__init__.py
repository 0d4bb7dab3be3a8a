"""Workspaces, their bots and API keys: what an operator sets up from the command line."""
