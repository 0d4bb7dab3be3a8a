"""Reads configuration in JavaScript and TypeScript from its syntax tree, without ever executing it."""
