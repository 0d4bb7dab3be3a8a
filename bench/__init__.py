"""Benchmarks, which are not part of the tests; each measures its baseline in the same run."""
