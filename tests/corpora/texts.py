"""The odd texts in `unicode/`."""

import json
from pathlib import Path

# The number of characters that every field accepts.
TOGETHER = 16


def odd_texts(corpora: Path) -> list[str]:
    """Naughty strings, and letters that look alike."""
    naughty = json.loads((corpora / "unicode" / "blns.json").read_text())
    letters = "".join(confusables(corpora))
    together = [letters[at : at + TOGETHER] for at in range(0, len(letters), TOGETHER)]
    assert len(naughty) > 200
    assert len(together) > 5
    return ["", *naughty, *together]


def confusables(corpora: Path) -> list[str]:
    """Pairs of letters that look the same."""
    lines = (corpora / "unicode" / "intentional_confusables.txt").read_text(encoding="utf-8-sig").splitlines()
    rows = [line.partition("#")[0].split(";") for line in lines]
    return ["".join(chr(int(sign, 16)) for sign in row) for row in rows if len(row) == 2]


def samples(corpora: Path) -> list[tuple[str, str]]:
    """Source code that does not run as it reads."""
    return [(file.name, file.read_text()) for file in sorted((corpora / "unicode/trojan-source").iterdir())]
