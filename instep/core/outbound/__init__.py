"""What this server may call: the grammar of addresses, and which of them are public."""
