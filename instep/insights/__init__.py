"""Insights: what customers asked in vain, and what keeps articles from being good ones."""
