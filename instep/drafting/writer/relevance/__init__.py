"""Ranks articles by a change, and estimates which it concerns and whether any needs an edit."""
