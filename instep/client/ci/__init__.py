"""The command `instep change`: in CI, it sends the change of a checkout as a task to a remote server."""
