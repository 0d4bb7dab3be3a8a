"""New articles: for additions of a change, and from instructions."""
