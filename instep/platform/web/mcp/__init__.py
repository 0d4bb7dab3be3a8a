"""The basics of the two MCP servers: tools, prompts, results within a token budget, and the endpoints."""
