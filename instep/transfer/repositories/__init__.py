"""Connects repositories at code hosts: pull requests arrive by webhook and polling, and become tasks."""
