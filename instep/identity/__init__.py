"""Who calls: workspaces, bots, API keys, and the context that an action gets."""
