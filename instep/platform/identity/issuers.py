"""Signatures of OpenID providers and other issuers of tokens: which algorithms and keys are accepted."""

from typing import Any

# Only asymmetric algorithms: otherwise a public key could be used as a shared secret to sign.
ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"]
KEY_TYPES = {"RSA", "EC", "OKP"}


def signing_keys(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The public keys for signatures in a set of keys (RFC 7517), which may hold others.

    Raises `ValueError` if it is no set of keys.
    """
    keys = document.get("keys")
    if not isinstance(keys, list):
        raise ValueError("no set of keys")
    return [
        key
        for key in keys
        if isinstance(key, dict) and key.get("kty") in KEY_TYPES and key.get("use", "sig") == "sig"
    ]
