"""Authentication, permissions and the contexts of actions."""
