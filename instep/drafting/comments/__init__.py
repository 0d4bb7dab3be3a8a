"""Comments of people and programs on drafts, places and articles, in threads."""
