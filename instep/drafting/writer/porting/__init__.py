"""Documentation that a change edits itself: its text, carried over into the articles that have it."""
