"""A CI service that signs ID tokens, on a real socket; tests can make any part of it dishonest."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from joserfc import jwt
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey

from instep.accounts.trusts.actions import create_trust
from instep.accounts.trusts.schemas import Trust, TrustFields
from instep.platform.core.database import Tx
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.identity.scopes import Scope
from tests.support.cast import Company, Json
from tests.support.ci_servers import Asked, Reply, serving

RSA = RSAKey.generate_key(2048, {"kid": "rsa", "use": "sig"}, private=True)
EC = ECKey.generate_key("P-256", {"kid": "ec"}, private=True)
OKP = OKPKey.generate_key("Ed25519", {"kid": "okp"}, private=True)
# An attacker's key with the id of a known key.
FORGED = RSAKey.generate_key(2048, {"kid": "rsa"}, private=True)
# Key sets may contain keys for other purposes.
OTHERS: list[Json] = [
    {"kty": "oct", "k": "AAAA"},
    {**ECKey.generate_key("P-256", {"kid": "enc"}, private=True).as_dict(private=False), "use": "enc"},
]


@dataclass
class Issuer:
    """The service; `document` overrides fields of its discovery document, `jobs` answers requests of jobs."""

    url: str = ""
    keys: list[Key] = field(default_factory=lambda: [RSA, EC, OKP])
    document: Json = field(default_factory=dict)
    status: int = 200
    lines: list[str] = field(default_factory=list)
    requests: list[Asked] = field(default_factory=list)

    def reply(self, asked: Asked) -> Reply:
        self.lines.append(asked.line)
        self.requests.append(asked)
        if asked.line.startswith("GET /job?"):
            audience = asked.line.partition("audience=")[2]
            return Reply(200, {"value": self.token(aud=audience.replace("%3A", ":").replace("%2F", "/"))})
        if asked.line == "GET /.well-known/openid-configuration":
            description = {"issuer": self.url, "jwks_uri": f"{self.url}/keys", **self.document}
            return Reply(self.status, description)
        return Reply(self.status, {"keys": [*OTHERS, *(key.as_dict(private=False) for key in self.keys)]})

    def claims(self, **changes: Any) -> Json:
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": "http://help.test",
            "sub": "repo:acme/app:ref:refs/heads/main",
            "repository": "acme/app",
            "ref": "refs/heads/main",
            "iat": now,
            "nbf": now,
            "exp": now + 300,
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, key: Key = RSA, algorithm: str = "RS256", **changes: Any) -> str:
        header = {"alg": algorithm, "kid": key.kid}
        return jwt.encode(header, self.claims(**changes), key, algorithms=[algorithm])

    def unsigned(self, **changes: Any) -> str:
        return f"{part({'alg': 'none'})}.{part(self.claims(**changes))}."

    def signed_with_public_key(self) -> str:
        """A token that passes if the verifier uses the public key as a shared secret."""
        content = f"{part({'alg': 'HS256', 'kid': 'rsa'})}.{part(self.claims())}"
        secret = RSA.as_pem(private=False)
        return f"{content}.{text_of(hmac.digest(secret, content.encode(), hashlib.sha256))}"


async def trust_somebody(owner: Tx, company: Company) -> Trust:
    """Create a trust of the company for GitHub jobs."""
    issuer = "https://token.actions.githubusercontent.com"
    fields = TrustFields(issuer, "http://help.test", {"repository": "acme/app"}, [], Scope.WRITE)
    return await create_trust(owner, company.workspace_id, fields, AllowList())


def part(document: Json) -> str:
    return text_of(json.dumps(document).encode())


def text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@contextmanager
def issuing() -> Iterator[Issuer]:
    """Run an issuer until the block ends."""
    issuer = Issuer()
    with serving(issuer.reply) as url:
        issuer.url = url
        yield issuer
