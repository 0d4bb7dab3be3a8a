"""Outgoing requests: the grammar of URLs, the addresses that may be called, and the client."""
