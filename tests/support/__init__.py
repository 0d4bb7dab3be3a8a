"""Parts shared by tests: the cast, HTTP answers, and steps that several slices need."""
