"""Places: where an article needs text that a code change does not provide."""
