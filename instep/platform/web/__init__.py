"""The HTTP layer: connections, authenticated routes, rate limits, errors, pages, and the MCP protocol."""
