"""Insights: unanswered questions, and problems of articles."""
