"""Scores a language model's part in the drafts, from answers that are recorded once and read again."""
