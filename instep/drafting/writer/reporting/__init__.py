"""The report to a reviewer: reasons for edits and against them, and warnings."""
