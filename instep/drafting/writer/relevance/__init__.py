"""Ranks articles for a change, and estimates which ones it concerns and whether any needs an edit."""
