"""Plumbing of the two MCP servers: tools, what they answer, the doors in front of them."""
