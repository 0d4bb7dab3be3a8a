"""Endpoints of customers that receive events, and the deliveries to them."""
