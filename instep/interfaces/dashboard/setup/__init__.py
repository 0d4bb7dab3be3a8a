"""The first run: setting the installation up, and what to do first."""
