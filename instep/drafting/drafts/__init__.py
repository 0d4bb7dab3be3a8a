"""The review queue: proposed changes that wait for a person."""
