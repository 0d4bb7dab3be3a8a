"""What readers say about articles."""
