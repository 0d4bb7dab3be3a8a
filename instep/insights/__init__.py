"""What visitors ask in vain, and how healthy the articles are."""
