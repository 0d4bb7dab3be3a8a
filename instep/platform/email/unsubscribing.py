"""Links that end emails with one click (RFC 8058): who holds one may end these emails, and nothing else."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Literal

from instep.platform.core.config import settings
from instep.platform.core.crypto import Unreadable, key_ring

UNSUBSCRIBE = "/email/unsubscribe"
PLACE = ("unsubscribe",)
Subscription = Literal["digest", "alerts", "topics"]


@dataclass(frozen=True, slots=True)
class Unsubscription:
    """The emails that a link ends: a member's digest, the alerts of a target, or what a reader follows."""

    subscription: Subscription
    workspace_id: str
    subject_id: str


def unsubscribe_url(subscription: Subscription, workspace_id: str, subject_id: str) -> str:
    token = unsubscribe_token(subscription, workspace_id, subject_id)
    return f"{settings().base_url}{UNSUBSCRIBE}?token={token}"


def unsubscribe_token(subscription: Subscription, workspace_id: str, subject_id: str) -> str:
    """A token that works as long as the secret key is kept; it is encrypted, so only Instep can make one."""
    sealed = key_ring().seal(json.dumps([subscription, workspace_id, subject_id]), *PLACE)
    return urlsafe_b64encode(sealed).decode()


def read_unsubscription(token: str) -> Unsubscription | None:
    """The emails that the link with this token ends; None if it is not one of ours."""
    try:
        return Unsubscription(*json.loads(key_ring().open(urlsafe_b64decode(token.encode()), *PLACE)))
    except (Unreadable, ValueError):
        return None
