"""Repositories at code hosts: their pull requests arrive by webhook and by polling, and become tasks."""
