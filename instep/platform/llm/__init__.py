"""The optional language model: one protocol and two providers, token budgets, and the guard."""
