"""Alerts to a team's chat tool: a visitor asks for a person, or leaves contact details."""
