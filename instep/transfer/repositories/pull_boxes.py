"""The boxes of a comment that people tick: its signed last line says which lines they are, and their states.

Only Instep can sign, so a comment without a valid signature was edited elsewhere than in its boxes.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from instep.platform.core.config import settings
from instep.platform.core.secret_keys import secret_key

UNTICKED, TICKED = "- [ ] ", "- [x] "
# A box in the last line: its line, the draft's number, the proposal's digest, and whether it is ticked.
ROW = r"\d{1,5}:\d{1,3}:[0-9a-f]{1,64}:[01]"
LAST_LINE = re.compile(rf"<!-- boxes ((?:{ROW} )*)([0-9a-f]{{64}}) -->")


@dataclass(frozen=True, slots=True)
class Box:
    """The box of a draft: the proposal that the comment shows, by its digest, and whether it is ticked."""

    number: int
    digest: str
    is_ticked: bool

    @property
    def line(self) -> str:
        return f"{TICKED if self.is_ticked else UNTICKED}Apply when merged"


def signed(text: str, boxes: Mapping[int, Box]) -> str:
    """The text of a comment with its last line; `boxes` are by their lines, from 0."""
    rows = "".join(f"{at}:{box.number}:{box.digest}:{box.is_ticked:d} " for at, box in sorted(boxes.items()))
    signature = signature_of(text.split("\n"), rows)
    return f"{text}\n<!-- boxes {rows}{signature} -->"


def comment_digest(text: str) -> str:
    """Identifies the text of a comment, as the host returns it."""
    return hashlib.sha256(text.replace("\r\n", "\n").rstrip().encode()).hexdigest()


def changed_boxes(before: str, after: str) -> list[Box] | None:
    """The boxes that an edit of a comment has changed, with their new states; None if it changed more.

    The states that Instep has written, or that the edit has found, are no changes.
    """
    boxes = read_boxes(after)
    if boxes is None:
        return None
    earlier = read_boxes(before) or {}
    return [
        replace(box, is_ticked=is_ticked)
        for box, is_ticked in boxes.items()
        if is_ticked != box.is_ticked and earlier.get(box) != is_ticked
    ]


def read_boxes(text: str) -> dict[Box, bool] | None:
    """The boxes as Instep wrote them, and whether each is ticked now; None if the text is not Instep's."""
    *lines, last_line = text.replace("\r\n", "\n").rstrip().split("\n")
    match = LAST_LINE.fullmatch(last_line)
    if match is None or not hmac.compare_digest(match[2], signature_of(lines, match[1])):
        return None
    boxes = {}
    for row in match[1].split():
        at, number, digest, is_ticked = row.split(":")
        boxes[Box(int(number), digest, is_ticked == "1")] = not lines[int(at)].startswith(UNTICKED)
    return boxes


def signature_of(lines: Sequence[str], rows: str) -> str:
    """The signature of a text, which is the same whether its boxes are ticked or not."""
    places = {int(row.split(":")[0]) for row in rows.split()}
    unticked = [
        re.sub(r"^- \[[xX]\] ", UNTICKED, line) if at in places else line for at, line in enumerate(lines)
    ]
    message = "\0".join(["boxes", rows, *unticked])
    return hmac.new(secret_key(settings()), message.encode(), hashlib.sha256).hexdigest()
