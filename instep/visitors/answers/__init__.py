"""Visitors' conversations, escalations and leads."""
