"""Expensive work, such as rendering long texts, that one transaction needs for many texts at once.

All of it is done before the next attempt: otherwise the transaction would be repeated for each text.
"""

from dataclasses import dataclass, field
from functools import partial

from instep.platform.core.restarts import Attempts, Compute, attempts_under_way, between_attempts


@dataclass(slots=True)
class NeededWork:
    """Pieces of work by the keys under which the next attempt looks up their results."""

    pieces: dict[bytes, Compute] = field(default_factory=dict)

    def take(self) -> None:
        """Take over the work that a text has requested, so that the next text can request some too."""
        attempts = attempts_under_way.get()
        if attempts is not None and attempts.needed is not None:
            key, compute = attempts.needed
            self.pieces[key], attempts.needed = compute, None

    async def do_before_next_attempt(self) -> None:
        """End this attempt if a text needs work."""
        attempts = attempts_under_way.get()
        if attempts is not None and self.pieces:
            await between_attempts(do_all, (tuple(self.pieces),), partial(do_all, attempts, self.pieces))


async def do_all(attempts: Attempts, pieces: dict[bytes, Compute]) -> None:
    """Do the pieces of work one by one, because a workspace may not queue much work at once."""
    for piece in pieces.items():
        attempts.needed = piece
        await attempts.do_needed()
