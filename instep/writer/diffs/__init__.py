"""Reading a change: a unified diff as data, which of its files are read, and what kind each is."""
