"""Pages and protocols for people and programs: the dashboard, the public site, MCP, the API's description."""
