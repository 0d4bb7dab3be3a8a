"""The door of the management API, and what its tests share with those of the operations behind it."""
