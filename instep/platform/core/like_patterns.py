"""Patterns of SQL's `like`."""


def escape_like(text: str) -> str:
    """A pattern that matches only the text itself; wildcards may be added around it."""
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
