"""The command `instep change`: in CI, a checkout's change becomes a task of a server elsewhere."""
