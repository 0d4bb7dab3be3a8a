"""Signatures of OpenID providers and other token issuers: the accepted algorithms and keys."""

from typing import Any

# Only asymmetric algorithms: otherwise a public key could be used as a shared secret to sign.
ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"]
KEY_TYPES = {"RSA", "EC", "OKP"}


def signing_keys(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The public signing keys in a key set (RFC 7517), which may contain others.

    Raises `ValueError` if it is not a key set.
    """
    keys = document.get("keys")
    if not isinstance(keys, list):
        raise ValueError("no set of keys")
    return [
        key
        for key in keys
        if isinstance(key, dict) and key.get("kty") in KEY_TYPES and key.get("use", "sig") == "sig"
    ]
