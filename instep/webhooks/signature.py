"""The signature of a delivery (specification, Delivery), as the Stripe libraries verify it too."""

import hashlib
import hmac
import re
from collections.abc import Sequence

TOLERANCE_SECONDS = 300
# Eleven digits last for 3,000 years, and no text is so long that reading it as a number takes time.
MOMENT = re.compile(r"[0-9]{1,11}")


class BadSignature(Exception):
    """The delivery is not to be believed; the message says why."""


def sign(secrets: Sequence[str], at: int, body: bytes) -> str:
    """The header `service-signature`: one `v1` for each secret, in their order, the newest first."""
    return ",".join([f"t={at}", *(f"v1={digest(secret, at, body)}" for secret in secrets)])


def verify(secret: str, header: str, body: bytes, now: float, tolerance: float = TOLERANCE_SECONDS) -> None:
    """Refuse what was not signed with the secret, or not about now."""
    at, signatures = read_header(header)
    expected = digest(secret, at, body).encode()
    if not any(hmac.compare_digest(expected, signature.encode()) for signature in signatures):
        raise BadSignature("no v1 signature matches: another secret, or the body was altered")
    if now - at > tolerance:
        raise BadSignature(f"too old: signed {now - at:.0f} seconds ago, more than {tolerance:g}")
    if at - now > tolerance:
        raise BadSignature(f"from the future: signed {at - now:.0f} seconds ahead, more than {tolerance:g}")


def read_header(header: str) -> tuple[int, list[str]]:
    """The moment and the `v1` signatures; parts of other names are left for later schemes."""
    parts = [part.partition("=") for part in header.split(",")]
    moments = [value for name, _, value in parts if name == "t"]
    signatures = [value for name, _, value in parts if name == "v1"]
    if len(moments) != 1 or not MOMENT.fullmatch(moments[0]) or not signatures:
        raise BadSignature("the header is malformed: it has the form t=<unix seconds>,v1=<hex>")
    return int(moments[0]), signatures


def digest(secret: str, at: int, body: bytes) -> str:
    """The key is the whole secret as it is shown, with its prefix."""
    return hmac.new(secret.encode(), b"%d.%b" % (at, body), hashlib.sha256).hexdigest()
