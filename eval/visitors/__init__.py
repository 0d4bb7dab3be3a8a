"""Invented help centers, and questions in the words of their visitors: how many are answered rightly."""
