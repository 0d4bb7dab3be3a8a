"""Shapes of alert targets; none of them contains the secret address."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from instep.platform.web.shapes import Out, Timestamp

Tool = Literal["slack", "discord", "teams", "mattermost", "email"]
AlertKind = Literal["handoff", "lead", "review"]
TargetStatus = Literal["unconfirmed", "untried", "working", "failing"]


@dataclass(frozen=True, slots=True)
class AlertTarget:
    """One row of `alert_targets`, without the address; the `host` of an email target is its address."""

    id: str
    bot_id: UUID
    tool: Tool
    host: str
    last_four: str
    alerts: list[AlertKind]
    last_error: str | None
    sent_at: datetime | None
    created_at: datetime
    confirmed_at: datetime | None

    @property
    def status(self) -> TargetStatus:
        if self.confirmed_at is None:
            return "unconfirmed"
        if self.last_error is not None:
            return "failing"
        return "working" if self.sent_at else "untried"


@dataclass(frozen=True, slots=True)
class SealedAddress:
    """The encrypted address of a target."""

    sealed: bytes


class AlertTargetOut(Out):
    """A channel of a chat tool, or an email address, that gets alerts of a bot."""

    id: str
    bot_id: str
    tool: Tool
    address: str
    alerts: list[AlertKind]
    status: TargetStatus
    last_error: str | None
    sent_at: Timestamp | None
    created_at: Timestamp

    @classmethod
    def of(cls, target: AlertTarget) -> "AlertTargetOut":
        # The whole address of a channel is a secret, because it allows posting to it.
        address = target.host if target.tool == "email" else f"https://{target.host}/…{target.last_four}"
        return cls.of_row(target, bot_id=str(target.bot_id), address=address)
