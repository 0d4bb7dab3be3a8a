"""People: how they are set up, how they sign in, and what they see of the apps that act for them."""
