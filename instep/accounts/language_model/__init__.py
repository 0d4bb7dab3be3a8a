"""The language model of each bot: what its owner has set, and which model answers a question."""
