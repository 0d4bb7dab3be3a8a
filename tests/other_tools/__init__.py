"""Checks by other projects' tools: they read the API's description, and use the API as it says."""
