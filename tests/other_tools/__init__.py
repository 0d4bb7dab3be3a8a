"""Checks with other projects' tools, which read the API's description and use the API accordingly."""
