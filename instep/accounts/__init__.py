"""Users of an installation: workspaces, people, OAuth clients, CI jobs, and their language model."""
