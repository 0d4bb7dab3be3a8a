"""The loop: a code change becomes a task, the task's drafts, and places for a person to write."""
