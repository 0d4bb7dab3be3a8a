"""Code hosts: how each signs its deliveries, describes its pull requests, and serves their diffs."""
