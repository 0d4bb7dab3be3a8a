"""A help center's style: rules for people and models, a glossary, and the checks that need no model."""
