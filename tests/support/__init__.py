"""What tests share: the cast, HTTP answers, and steps that several slices need."""
