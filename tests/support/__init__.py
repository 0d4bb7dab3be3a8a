"""Helpers shared by tests: companies, HTTP responses, and steps that several folders need."""
