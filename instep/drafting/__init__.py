"""The loop: a code change becomes a task, the writer's drafts, and places that a person writes."""
