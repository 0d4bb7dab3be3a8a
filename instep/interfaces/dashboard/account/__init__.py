"""A person's own account: joining a workspace, password, sessions, second factors."""
