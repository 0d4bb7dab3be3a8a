"""Collections: the sections of a help center, in its order."""
