"""Replays the history of a repository: what the writer would have drafted, for a person to judge."""
