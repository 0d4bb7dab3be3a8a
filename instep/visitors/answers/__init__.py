"""What visitors start: conversations, escalations and leads."""
