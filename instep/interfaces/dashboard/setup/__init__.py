"""The first run: setting up the installation, and the first steps."""
