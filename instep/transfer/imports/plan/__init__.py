"""Plans an import before it is written: addresses, links, slugs, order and outcomes."""
