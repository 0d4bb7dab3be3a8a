"""The two MCP servers: what each offers, where they stand, and how clients find them."""
