"""The programs in `docs/webhooks.md`: each code block that begins with a file name."""

import re
from collections import defaultdict
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "webhooks.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?:#|//) (\S+\.(?:py|mjs))\n")


def blocks(language: str) -> list[str]:
    return [
        code for block_language, code in BLOCK.findall(DOCUMENT.read_text()) if block_language == language
    ]


def programs() -> dict[str, list[str]]:
    """The programs by file name, in the document's order: first without a library, then with Stripe's."""
    snippets = defaultdict(list)
    for code in blocks("python") + blocks("js"):
        name = NAME.match(code)
        assert name, f"a program without a name:\n{code}"
        snippets[name[1]].append(code)
    return dict(snippets)
