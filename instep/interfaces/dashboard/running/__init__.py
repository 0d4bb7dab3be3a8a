"""Pages for running a help center: tasks, questions, conversations, health and files."""
