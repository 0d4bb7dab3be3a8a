"""Helpers to ask a bot as a visitor does, and to read the citations in its answers."""

import re
from typing import Any

from tests.support.cast import Client, Company, Json
from tests.support.http import Response, ok
from tests.support.visitors import credentials

CHAT = "/chat"
CITATION = re.compile(r"\[(\d+)\]")
CODE = re.compile(r"(?ms)^ *```.*?^ *```|`[^`\n]+`")

RESET = """\
You can change your password at any time.

1. Open **Settings**, then choose *Security*.
2. Choose `Reset password`.
3. Enter the code that we send you by e-mail.

The code is good for 15 minutes.
"""
WEBHOOKS = """\
Instep tells your server of changes.

## Verify a delivery

Compute the signature over the raw body:

```python
expected = hmac.new(secret, body, "sha256").hexdigest()
```

Compare it with the header `service-signature`.

## Retries

A failed delivery is tried again after 5 minutes, 30 minutes and 2 hours.
"""


async def post(client: Client, company: Company, question: str, **sent: Any) -> Response:
    body = {**credentials(company), "question": question, "visitor": "ann-7", **sent}
    return await client.post(CHAT, json={name: value for name, value in body.items() if value is not ...})


async def ask(client: Client, company: Company, question: str, **sent: Any) -> Json:
    return ok(await post(client, company, question, **sent))


def numbers_in(answer: str) -> list[int]:
    """The citation numbers in an answer, in order; brackets in code don't count."""
    return [int(number) for number in CITATION.findall(CODE.sub("", answer))]


def titles(answer: Json) -> list[str]:
    return [source["title"] for source in answer["sources"]]
