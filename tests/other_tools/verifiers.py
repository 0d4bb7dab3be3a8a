"""`make test-contract`: other projects' verifiers check deliveries, and the code of `docs/webhooks.md` runs.

Stripe's libraries, OpenSSL and the document's own programs must accept the deliveries of a real server, and
refuse those that are altered, old, or signed with another secret.
"""

import json
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from instep.notifications.webhooks.signature import sign
from tests.other_tools.deliveries import Delivery, take_deliveries
from tests.other_tools.programs import FOLDER, PROGRAMS, Program, output_of
from tests.other_tools.receivers import check_commands, check_receiver
from tests.support.installation import installed
from tests.support.webhook_snippets import blocks

UNKNOWN_SECRET = "whsec_bm9ib2R5IGhhcyBzaWduZWQgd2l0aCB0aGlzIG9uZSE="
Check = tuple[str, Callable[[], None]]


@dataclass(frozen=True)
class Case:
    """A delivery as a receiver might get it, and whether a verifier must accept it."""

    secret: str
    header: str
    body: bytes
    is_valid: bool


def main() -> int:
    for program in PROGRAMS:
        program.save()
    with installed(INSTEP_WEBHOOK_ALLOW="127.0.0.1/32") as installation:
        installation.serve()
        client = installation.client()
        deliveries = take_deliveries(installation, client)
        print_deliveries(deliveries)
        checks: list[Check] = [
            *[
                (f"{program.name} verifies", partial(check_verifier, program, deliveries))
                for program in PROGRAMS
            ],
            ("OpenSSL computes the same signatures", partial(check_signatures, deliveries)),
            *[
                (f"{program.name} receives", partial(check_receiver, program, installation, client))
                for program in PROGRAMS
            ],
            ("the commands of the document", partial(check_commands, installation, client)),
        ]
        return sum(not succeeds(name, check) for name, check in checks)


def print_deliveries(deliveries: list[Delivery]) -> None:
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


def check_verifier(program: Program, deliveries: list[Delivery]) -> None:
    """The program accepts the valid cases and no others."""
    cases = [case for delivery in deliveries for case in cases_of(delivery, deliveries[-1].secrets)]
    inputs = [
        {"secret": case.secret, "header": case.header, "body": b64encode(case.body).decode()}
        for case in cases
    ]
    verdicts = json.loads(output_of(program.command("verdicts"), program.folder, json.dumps(inputs).encode()))
    wrong = [case for case, verdict in zip(cases, verdicts, strict=True) if verdict is not case.is_valid]
    assert not wrong, wrong


def cases_of(delivery: Delivery, all_secrets: tuple[str, ...]) -> list[Case]:
    header, body, now = delivery.signature, delivery.body, int(time.time())
    timestamp = header.partition(",")[0]
    cases = [
        Case(secret, header, body, secret in delivery.secrets) for secret in (*all_secrets, UNKNOWN_SECRET)
    ]
    for secret in delivery.secrets:
        bare = secret.removeprefix("whsec_")
        cases += [
            Case(bare, header, body, is_valid=False),
            Case(secret, header, body + b" ", is_valid=False),
            Case(secret, header, body.replace(b'"id"', b'"iD"', 1), is_valid=False),
            Case(secret, header.replace(timestamp, f"t={now + 1}"), body, is_valid=False),
            Case(secret, header.replace("v1=", "v0="), body, is_valid=False),
            Case(secret, sign([secret], now - 290, body), body, is_valid=True),
            Case(secret, sign([secret], now - 301, body), body, is_valid=False),
            Case(secret, timestamp, body, is_valid=False),
            Case(secret, "", body, is_valid=False),
        ]
    return cases


def check_signatures(deliveries: list[Delivery]) -> None:
    for delivery in deliveries:
        timestamp, *signatures = (part.partition("=")[2] for part in delivery.signature.split(","))
        signed = timestamp.encode() + b"." + delivery.body
        assert signatures == [openssl(secret, signed) for secret in delivery.secrets], delivery
    [commands] = [code for code in blocks("sh") if "openssl" in code]
    [header] = [code.strip() for code in blocks("text") if code.startswith("t=")]
    assert output_of(["sh", "-c", commands], FOLDER).split()[-1] == header.partition("v1=")[2]


def openssl(secret: str, signed: bytes) -> str:
    return output_of(["openssl", "dgst", "-sha256", "-hmac", secret], FOLDER, signed).split()[-1]


if __name__ == "__main__":
    sys.exit(main())
