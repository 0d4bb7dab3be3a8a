"""Drift: articles held against the code of a commit and its history, whichever change made them wrong."""
