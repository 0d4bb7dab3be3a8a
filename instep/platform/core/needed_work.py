"""Expensive work, such as rendering long texts, that many texts of one transaction need between two attempts.

That of all texts is done before the next attempt: else the transaction would be repeated for each of them.
"""

from dataclasses import dataclass, field
from functools import partial

from instep.platform.core.restarts import Attempts, Compute, attempts_under_way, between_attempts


@dataclass(slots=True)
class NeededWork:
    """Pieces of work by the keys under which the next attempt looks for their results."""

    pieces: dict[bytes, Compute] = field(default_factory=dict)

    def take(self) -> None:
        """Take over what a text has asked for, so that the next text can ask too."""
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
    """Do the work one piece after the other: a workspace may not have much work wait at once."""
    for piece in pieces.items():
        attempts.needed = piece
        await attempts.do_needed()
