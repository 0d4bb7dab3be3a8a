"""Implements code hosts: signatures of deliveries, descriptions of pull requests, and diffs."""
