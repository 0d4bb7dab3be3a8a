"""The way out: the grammar of addresses, which of them may be called, and the client that calls them."""
