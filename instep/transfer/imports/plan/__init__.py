"""An import before it writes: addresses, links, slugs, order and outcomes of a tree."""
