"""Benchmarks. They are not part of the tests, and each measures what it compares with in the same run."""
