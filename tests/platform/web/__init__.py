"""Access to the management API, and helpers shared with the tests of its operations."""
