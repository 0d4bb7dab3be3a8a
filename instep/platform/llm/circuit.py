"""A circuit that opens when a provider is down, so that nothing waits for it in vain."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from instep.platform.core import limits
from instep.platform.llm.protocol import CompletionError


class ProviderDown(CompletionError):
    """The provider can't be reached, is overwhelmed, or does not answer in time."""


@dataclass(slots=True)
class Circuit:
    """Opens after some failures in a row. Then one question at a time passes, until one is answered."""

    clock: Callable[[], float] = time.monotonic
    failures: int = 0
    closed_until: float = 0.0

    def enter(self) -> None:
        """Begin a question, or raise `CompletionError` at once while the circuit is open."""
        if self.failures < limits.MAX_MODEL_FAILURES:
            return
        seconds = self.closed_until - self.clock()
        if seconds > 0:
            raise CompletionError(
                f"It was down {self.failures} times in a row: it is asked again in {seconds:.0f} seconds.", 0
            )
        self.closed_until = self.clock() + limits.MODEL_PROBE_SECONDS

    def leave(self, *, is_down: bool) -> None:
        """End a question that was let through."""
        self.failures = self.failures + 1 if is_down else 0
        self.closed_until = self.clock() + limits.MODEL_PROBE_SECONDS
