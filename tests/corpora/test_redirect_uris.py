"""Redirect URIs of apps: no variant of another address passes as a registered one."""

from pathlib import Path

import pytest

from instep.accounts.oauth.redirects import is_registered

pytestmark = pytest.mark.corpora

REGISTERED = ["https://app.example/callback", "http://127.0.0.1:3000/callback"]


def test_no_variant_passes_for_a_registered_address(corpora: Path) -> None:
    files = [file.read_text(errors="replace").splitlines() for file in (corpora / "path").glob("*.txt")]
    variants = [line for lines in files for line in lines if line]
    assert len(variants) > 300
    for variant in variants:
        for body in (variant, *(registered + variant for registered in REGISTERED)):
            assert not is_registered(body, REGISTERED), body
