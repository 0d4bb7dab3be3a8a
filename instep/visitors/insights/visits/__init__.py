"""Anonymous counts of visitors' views and searches."""
