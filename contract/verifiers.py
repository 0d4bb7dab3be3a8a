"""Have other people's verifiers judge our deliveries, and run what `docs/webhooks.md` shows: `make contract`.

A server sends them; the libraries of Stripe, OpenSSL and the document's own programs must accept them, and
refuse what was altered, is old, or was signed with another secret.
"""

import json
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from contract.deliveries import Delivery, take_deliveries
from contract.programs import FOLDER, PROGRAMS, Program, run
from contract.receivers import follow, receive
from instep.webhooks.signature import sign
from tests.runtime.installation import installed
from tests.webhooks.snippets import blocks

UNKNOWN = "whsec_bm9ib2R5IGhhcyBzaWduZWQgd2l0aCB0aGlzIG9uZSE="
Check = tuple[str, Callable[[], None]]


@dataclass(frozen=True)
class Case:
    """A delivery as a receiver might get it, and whether it is to be accepted."""

    secret: str
    header: str
    body: bytes
    accepted: bool


def main() -> int:
    for program in PROGRAMS:
        program.save()
    with installed(INSTEP_WEBHOOK_ALLOW="127.0.0.1/32") as installation:
        installation.serve()
        client = installation.client()
        deliveries = take_deliveries(installation, client)
        told(deliveries)
        checks: list[Check] = [
            *[(f"{program.name} verifies", partial(judge, program, deliveries)) for program in PROGRAMS],
            ("OpenSSL makes the same signatures", partial(recompute, deliveries)),
            *[
                (f"{program.name} receives", partial(receive, program, installation, client))
                for program in PROGRAMS
            ],
            ("the commands of the document", partial(follow, installation, client)),
        ]
        return sum(not succeeds(name, check) for name, check in checks)


def told(deliveries: list[Delivery]) -> None:
    for delivery in deliveries:
        count = delivery.signature.count("v1=")
        print(f"    {delivery.kind}: {len(delivery.body)} bytes, {count} signature{'s' * (count > 1)}")


def succeeds(name: str, check: Callable[[], None]) -> bool:
    try:
        check()
    except (AssertionError, subprocess.SubprocessError) as error:
        print(f"NO  {name}\n{error}")
        return False
    print(f"ok  {name}")
    return True


def judge(program: Program, deliveries: list[Delivery]) -> None:
    """The program gives every case the verdict that it must have."""
    cases = [case for delivery in deliveries for case in cases_of(delivery, deliveries[-1].secrets)]
    sent = [
        {"secret": case.secret, "header": case.header, "body": b64encode(case.body).decode()}
        for case in cases
    ]
    verdicts = json.loads(run(program.command("verdicts"), program.folder, json.dumps(sent).encode()))
    wrong = [case for case, verdict in zip(cases, verdicts, strict=True) if verdict is not case.accepted]
    assert not wrong, wrong


def cases_of(delivery: Delivery, all_secrets: tuple[str, ...]) -> list[Case]:
    header, body, now = delivery.signature, delivery.body, int(time.time())
    at = header.partition(",")[0]
    cases = [Case(secret, header, body, secret in delivery.secrets) for secret in (*all_secrets, UNKNOWN)]
    for secret in delivery.secrets:
        bare = secret.removeprefix("whsec_")
        cases += [
            Case(bare, header, body, accepted=False),
            Case(secret, header, body + b" ", accepted=False),
            Case(secret, header, body.replace(b'"id"', b'"iD"', 1), accepted=False),
            Case(secret, header.replace(at, f"t={now + 1}"), body, accepted=False),
            Case(secret, header.replace("v1=", "v0="), body, accepted=False),
            Case(secret, sign([secret], now - 290, body), body, accepted=True),
            Case(secret, sign([secret], now - 301, body), body, accepted=False),
            Case(secret, at, body, accepted=False),
            Case(secret, "", body, accepted=False),
        ]
    return cases


def recompute(deliveries: list[Delivery]) -> None:
    for delivery in deliveries:
        at, *signatures = (part.partition("=")[2] for part in delivery.signature.split(","))
        signed = at.encode() + b"." + delivery.body
        assert signatures == [openssl(secret, signed) for secret in delivery.secrets], delivery
    [commands] = [code for code in blocks("sh") if "openssl" in code]
    [header] = [code.strip() for code in blocks("text") if code.startswith("t=")]
    assert run(["sh", "-c", commands], FOLDER).split()[-1] == header.partition("v1=")[2]


def openssl(secret: str, signed: bytes) -> str:
    return run(["openssl", "dgst", "-sha256", "-hmac", secret], FOLDER, signed).split()[-1]


if __name__ == "__main__":
    sys.exit(main())
