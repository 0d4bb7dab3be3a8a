"""Insights: which questions stay unanswered, and what keeps articles from being good ones."""
