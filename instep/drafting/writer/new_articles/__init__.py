"""Articles that do not exist yet: for what a change adds, and from instructions."""
