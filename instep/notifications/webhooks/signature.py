"""Signatures of deliveries (specification, Delivery), which Stripe's libraries can verify too."""

import hashlib
import hmac
import re
from collections.abc import Sequence

TOLERANCE_SECONDS = 300
# Eleven digits suffice for 3,000 years and bound the cost of parsing.
TIMESTAMP = re.compile(r"[0-9]{1,11}")


class BadSignature(Exception):
    """The signature is not valid; the message says why."""


def sign(secrets: Sequence[str], at: int, body: bytes) -> str:
    """The header `service-signature`, with one `v1` for each secret in their order."""
    return ",".join([f"t={at}", *(f"v1={digest(secret, at, body)}" for secret in secrets)])


def verify(secret: str, header: str, body: bytes, now: float, tolerance: float = TOLERANCE_SECONDS) -> None:
    """Raise `BadSignature` unless the secret signed the body within `tolerance` seconds of `now`."""
    at, signatures = read_header(header)
    expected = digest(secret, at, body).encode()
    if not any(hmac.compare_digest(expected, signature.encode()) for signature in signatures):
        raise BadSignature("no v1 signature matches: another secret, or the body was altered")
    if now - at > tolerance:
        raise BadSignature(f"too old: signed {now - at:.0f} seconds ago, more than {tolerance:g}")
    if at - now > tolerance:
        raise BadSignature(f"from the future: signed {at - now:.0f} seconds ahead, more than {tolerance:g}")


def read_header(header: str) -> tuple[int, list[str]]:
    """The time stamp and the `v1` signatures; parts with other names belong to other schemes."""
    parts = [part.partition("=") for part in header.split(",")]
    timestamps = [value for name, _, value in parts if name == "t"]
    signatures = [value for name, _, value in parts if name == "v1"]
    if len(timestamps) != 1 or not TIMESTAMP.fullmatch(timestamps[0]) or not signatures:
        raise BadSignature("the header is malformed: it has the form t=<unix seconds>,v1=<hex>")
    return int(timestamps[0]), signatures


def digest(secret: str, at: int, body: bytes) -> str:
    """The HMAC-SHA256 in hexadecimal; its key is the whole secret with its prefix."""
    return hmac.new(secret.encode(), b"%d.%b" % (at, body), hashlib.sha256).hexdigest()
