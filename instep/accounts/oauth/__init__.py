"""The OAuth 2.1 authorization server: people let AI clients act for them at the workspace's MCP server."""
