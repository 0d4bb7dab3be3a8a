"""Places: where an article needs words that a code change does not give."""
