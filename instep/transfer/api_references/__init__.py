"""API references that follow an OpenAPI document at an address."""
