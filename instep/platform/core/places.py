"""Slots for expensive work, shared fairly: workspaces take turns, and none can take every slot."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar

from instep.platform.core import limits
from instep.platform.core.errors import RateLimited

# The workspace that the current request or job entered last; its expensive work counts for this workspace.
entered_workspace: ContextVar[str] = ContextVar("entered_workspace", default="")


class QueueFull(RateLimited):
    """Too much expensive work of this workspace is waiting: try again when `Retry-After` says."""

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": str(limits.WORK_RETRY_SECONDS)})


class FairSlots:
    """The slots of this process; waiting workspaces are served in turn (round robin).

    One workspace may hold all slots but one, so that another workspace's first work begins at once.
    """

    def __init__(self, number: int, max_waiting: int = limits.MAX_WAITING_WORK_PIECES) -> None:
        self._free = number
        self._max_waiting = max_waiting
        self._share = max(1, number - 1)
        self._slots_held = Counter[str]()
        # The workspaces in the order of their turns; a served one moves to the end.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def hold(self, workspace: str) -> AsyncIterator[None]:
        """Wait for a slot and hold it; raises `QueueFull` if too much work of this workspace is waiting."""
        await self._take(workspace)
        try:
            yield
        finally:
            self._give_back(workspace)

    async def _take(self, workspace: str) -> None:
        queue = self._waiting.setdefault(workspace, deque())
        if len(queue) >= self._max_waiting:
            raise QueueFull
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        self._call_next()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(workspace, turn)
            else:
                self._give_back(workspace)
            raise

    def _forget(self, workspace: str, turn: asyncio.Future[None]) -> None:
        queue = self._waiting.get(workspace, deque())
        # A slot that was returned in the meantime was not given to it.
        with suppress(ValueError):
            queue.remove(turn)
        if not queue:
            self._waiting.pop(workspace, None)

    def _give_back(self, workspace: str) -> None:
        self._free += 1
        self._slots_held[workspace] -= 1
        if not self._slots_held[workspace]:
            del self._slots_held[workspace]
        self._call_next()

    def _call_next(self) -> None:
        while self._free:
            workspace = next(
                (candidate for candidate in self._waiting if self._slots_held[candidate] < self._share), None
            )
            if workspace is None:
                return
            queue = self._waiting.pop(workspace)
            turn = queue.popleft()
            if queue:
                self._waiting[workspace] = queue
            if turn.cancelled():
                continue
            self._free -= 1
            self._slots_held[workspace] += 1
            turn.set_result(None)
