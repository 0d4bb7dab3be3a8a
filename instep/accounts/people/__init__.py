"""People: their accounts, signing in, and the page of apps that act for them."""
