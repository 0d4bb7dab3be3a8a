"""Events for others: webhooks, and alerts in a team's chat."""
