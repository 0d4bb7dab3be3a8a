"""Fetches articles from the APIs of other products and saves the responses as files for a reader."""
