"""Evidence from a checkout about the names and values that articles state, as it is sent."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from instep.client.ci.git import Git
from instep.client.drift.code_lines import StandingNames, read_lines, read_standing
from instep.client.drift.history import History, PastCommit
from instep.client.drift.names import NameFinder, bare, keys_in, spelling_key
from instep.client.drift.path_history import Move
from instep.platform.core import limits

_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
# A line with fewer characters says nothing of where it is from.
_MIN_LINE_CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class Stated:
    """The names and values that articles state, and the paths of their links, each after its repository."""

    names: Sequence[str]
    values: Sequence[str]
    paths: Sequence[str]


@dataclass(frozen=True, slots=True)
class TodaysPlace:
    """A line that a commit added as `line` of `file`, and its current positions."""

    file: str
    line: int
    file_today: str
    line_today: int


@dataclass(frozen=True, slots=True)
class SentCommit:
    """A commit as it is sent: the diff of the hunks that took out a name or a value, and the names."""

    commit: PastCommit
    standing: tuple[TodaysPlace, ...]


@dataclass(frozen=True, slots=True)
class CheckoutEvidence:
    """Commits, newest first; the names of articles that the code lacks; keys of other names that it lacks.

    `moves` are of files of the repository `home`, such as `github.com/acme/app`, to which articles link;
    `unread` counts the commits whose contents the checkout lacks.
    """

    commits: Sequence[SentCommit]
    gone_names: Sequence[str]
    absent_keys: Collection[str]
    moves: Sequence[Move]
    home: str
    unread: int


def read_evidence(git: Git, head: str, revisions: str, stated: Stated, home: str) -> CheckoutEvidence:
    """The evidence at the commit `head` of the repository `home`, from the history of `revisions`."""
    home = home.lower()
    standing = read_standing(git, head, stated.names)
    gone_names = [name for name in stated.names if _is_gone(name, standing)]
    history = History(git, revisions)
    past = history.read(NameFinder(gone_names), frozenset((*stated.names, *stated.values)))
    commits = list(_within_bounds(past))
    paths = {
        path.removeprefix(f"{home}/")
        for path in stated.paths
        # A path without a repository begins with a folder, not with a host.
        if path.startswith(f"{home}/") or "." not in path.partition("/")[0]
    }
    places = _places_today(git, head, commits)
    absent = {
        key for commit in commits for hunk in commit.hunks for line in hunk.lines for key in keys_in(line[1:])
    }
    removed = {name for commit in commits for name in commit.names}
    return CheckoutEvidence(
        [SentCommit(commit, tuple(_standing_lines(commit, places))) for commit in commits],
        # Most addresses are of others: the code has never had them.
        [name for name in gone_names if name in removed or "/" not in name],
        absent - standing.keys,
        list(history.paths.moves_of(paths, standing.files))[: limits.MAX_DRIFT_MOVES],
        home,
        history.unread,
    )


def _is_gone(name: str, standing: StandingNames) -> bool:
    is_there = name in standing.names or any(key in standing.keys for key in _keys_of(name))
    return not is_there and bare(name).removeprefix("/") not in standing.files


def _keys_of(name: str) -> Iterator[str]:
    """The key of a name; for a variable also the keys of the name without its first words.

    Many programs put a prefix before the name of a setting: `SHOP_MAIL_FROM` for `mail-from`. The rest
    has at least two words, and `_FILE` at the end says only that a file has the value.
    """
    yield spelling_key(name)
    if not _VARIABLE.fullmatch(name):
        return
    words = name.removesuffix("_FILE").split("_")
    for first in range(len(words) - 1):
        yield spelling_key("_".join(words[first:]))


def _within_bounds(commits: Iterator[PastCommit]) -> Iterator[PastCommit]:
    """The newest commits that fit; one that is very large is left out, since it says little of one name."""
    characters = 0
    for commit in commits:
        size = sum(len(line) for hunk in commit.hunks for line in hunk.lines)
        if size <= limits.MAX_DRIFT_COMMIT_CHARACTERS:
            characters += size
            if characters <= limits.MAX_DRIFT_CHARACTERS:
                yield commit


def _added_lines(commit: PastCommit) -> Iterator[tuple[str, int, str]]:
    """The file, number and text of each line that a commit adds."""
    for hunk in commit.hunks:
        number, file = hunk.first_new, hunk.head[1].removeprefix("b/")
        for line in hunk.lines:
            text = line[1:].strip()
            if line[:1] == "+" and len(text) >= _MIN_LINE_CHARACTERS:
                yield file, number, text
            number += line[:1] != "-"


def _places_today(git: Git, head: str, commits: Sequence[PastCommit]) -> dict[str, list[tuple[str, int]]]:
    """Current positions of the lines that the commits add, in `head`: files and line numbers by text."""
    places: dict[str, list[tuple[str, int]]] = {
        text: [] for commit in commits for _, _, text in _added_lines(commit)
    }
    for row in read_lines(git, head) if places else ():
        if row.text in places:
            places[row.text].append((row.file, row.line))
    return places


def _standing_lines(commit: PastCommit, places: dict[str, list[tuple[str, int]]]) -> Iterator[TodaysPlace]:
    for file, line, text in _added_lines(commit):
        today = places.get(text)
        if today:
            same_file = [place for place in today if place[0] == file]
            nearest = min(same_file or today[:1], key=lambda place: abs(place[1] - line))
            yield TodaysPlace(file, line, *nearest)
