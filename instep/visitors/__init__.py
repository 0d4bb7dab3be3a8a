"""Visitors' questions and visits: answers, conversations, insights."""
