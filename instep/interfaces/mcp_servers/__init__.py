"""The two MCP servers: what each offers, their URLs, and how clients find them."""
