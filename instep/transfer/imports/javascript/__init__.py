"""Configuration in JavaScript and TypeScript, read from its syntax: nothing of it is ever executed."""
