"""Finding live articles by their words."""
