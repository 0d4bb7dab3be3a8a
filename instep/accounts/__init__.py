"""Who uses an installation: workspaces, people, OAuth, CI jobs, and the language model that they choose."""
