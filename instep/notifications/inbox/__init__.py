"""The inbox of each person: who asked them, answered them, or decided on their drafts."""
