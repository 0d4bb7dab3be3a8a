"""Signs that a change needs documentation, in its title, its lines and the ranking of articles."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log

from instep.drafting.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.drafting.writer.relevance.ranking import ArticleRanking
from instep.drafting.writer.shapes import Change
from instep.platform.text.file_kinds import LONG_LINE

_VISIBLE = re.compile(
    r"\b(?:add(?:s|ed|ing)?|new|support(?:s|ed|ing)?|allow(?:s|ed|ing)?|introduc\w+|implement\w*|options?|settings?"
    r"|config\w*|renam\w+|deprecat\w+|drop(?:s|ped)?|remov(?:e|es|ed|ing)|defaults?|document\w*|docs?|expos\w+"
    r"|enabl\w+|customi[sz]\w+|feat\w*|parameters?|arguments?|api|commands?|flags?|minimum|requir\w+|limit\w*"
    r"|chang(?:e|es|ed)|replac\w+)\b",
    re.IGNORECASE,
)
_INTERNAL = re.compile(
    r"\b(?:fix\w*|bugs?|crash\w*|regress\w+|prevent\w*|ensure|correct\w*|handl\w+|errors?|issue|broken|wrong|missing"
    r"|avoid\w*|refactor\w*|chore|tests?|ci|bump\w*|typos?|typing|types?|style|perf\w*|upgrad\w+|updat\w+"
    r"|internal\w*|lint\w*|unused|clean ?up|revert\w*|flaky|tweak\w*|css|icons?|log(?:ging)?|simplif\w+"
    r"|mov(?:e|ed|ing)|deps?|dependenc\w+|instead|improve\w*|ui|filter)\b",
    re.IGNORECASE,
)
_SUPPORT = re.compile(r"\b(?:support\w*|allow\w*|enabl\w+|accept\w*)\b", re.IGNORECASE)
_DOCUMENTATION = re.compile(r"\b(?:docs?|document\w*|readme|guide)\b", re.IGNORECASE)
_FIX = re.compile(r"\W*(?:fix|bug)", re.IGNORECASE)
_MAX_WORDS = 2

_PROSE = re.compile(
    r"^\s*+(?:#|//|\*|--|<!--|[A-Z][a-z]+ [a-z]+)|help=|description|\"\"\"|placeholder|label|title=|summary"
)
_HELP = re.compile(
    r"help\s?=|help_text|description[\"']?\s?[:=(]|summary|usage|Usage|label[\"']?\s?[:=]|placeholder|tooltip"
    r"|verbose_name|^\s*+(?:\*|///|//!|'''|\"\"\")"
)
_LINK_TO_DOCUMENTATION = re.compile(r"docs?\.|/docs/|readthedocs|\.md\b|documentation", re.IGNORECASE)
# A flag, an environment variable, or a string that is spelled like a name.
_NAME = re.compile(
    r"(?<![\w-])--[a-z][\w-]+|\b[A-Z][A-Z0-9]++(?:_[A-Z0-9]++)+\b"
    r"|[\"'`](?:[a-z]++(?:[_.-][a-z0-9]++)+|[a-z]++[A-Z]\w*+)[\"'`]"
)
_ROUTE = re.compile(r"[\"'`]/[a-z][\w/{}:<>.-]*+[\"'`]")
_PATH_OF_OPTIONS = re.compile(
    r"(?:^|[/_.-])(?:settings?|config\w*|options?|flags?|commands?|cmd|cli|hooks?\w*|plugins?|management|operations"
    r"|extensions?|env|params|locales?|i18n|translations?|schemas?|api|routes?|urls|types|forms?|filtersets?"
    r"|permissions?)(?:[/_.-]|$)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _CodeLines:
    """Lines of the files that users may notice: added ones, others, and the number of changed ones."""

    added: list[str] = field(default_factory=list)
    old: list[str] = field(default_factory=list)
    changed: int = 0
    changed_in_interface: int = 0
    adds_to_options: bool = False

    def read(self, file: ReviewedFile) -> None:
        lines = [line for line in file.patch.lines() if len(line.text) <= LONG_LINE]
        added = [line.text for line in lines if line.mark == "+"]
        changed = sum(line.mark != " " for line in lines)
        self.added += added
        self.old += [line.text for line in lines if line.mark != "+"]
        self.changed += changed
        self.changed_in_interface += changed if file.kind == "interface" else 0
        self.adds_to_options |= bool(added and _PATH_OF_OPTIONS.search(file.patch.path))

    def count_added(self, pattern: re.Pattern[str]) -> int:
        return sum(bool(pattern.search(text)) for text in self.added)

    def count_new(self, pattern: re.Pattern[str]) -> int:
        """The number of different matches that only added lines have."""
        return len(_matches(pattern, self.added) - _matches(pattern, self.old))


def _matches(pattern: re.Pattern[str], lines: Iterable[str]) -> set[str]:
    return {match.strip("\"'`") for text in lines for match in pattern.findall(text)}


def need_signs(change: Change, change_set: ChangeSet, ranking: ArticleRanking) -> dict[str, float]:
    """The inputs of the need model by name: counts, their logarithms, and shares (0 to 1)."""
    return {
        **_signs_of_title(change.title),
        **_signs_of_lines(change_set),
        **_signs_of_ranking(ranking),
        "tests": log(1 + sum(file.kind == "test" for file in change_set.files)),
    }


def _signs_of_title(title: str) -> dict[str, float]:
    return {
        "visible words": min(_MAX_WORDS, len(_VISIBLE.findall(title))),
        "internal words": min(_MAX_WORDS, len(_INTERNAL.findall(title))),
        "support words": min(_MAX_WORDS, len(_SUPPORT.findall(title))),
        "documentation words": min(_MAX_WORDS, len(_DOCUMENTATION.findall(title))),
        "begins with fix": float(bool(_FIX.match(title))),
    }


def _signs_of_lines(change_set: ChangeSet) -> dict[str, float]:
    lines = _CodeLines()
    for file in change_set.files:
        if file.kind in {"code", "interface"}:
            lines.read(file)
    return {
        "interface": lines.changed_in_interface / (lines.changed or 1),
        "prose": lines.count_added(_PROSE) / (len(lines.added) or 1),
        "help texts": log(1 + lines.count_added(_HELP)),
        "link to documentation": float(lines.count_added(_LINK_TO_DOCUMENTATION) > 0),
        "new names": log(1 + lines.count_new(_NAME)),
        "new routes": log(1 + lines.count_new(_ROUTE)),
        "options": float(lines.adds_to_options),
    }


def _signs_of_ranking(ranking: ArticleRanking) -> dict[str, float]:
    return {
        "lead of removed lines": ranking.passage_lead.get("removed", 0.0),
        "lead of context": ranking.lead.get("context", 0.0),
        "pairs": ranking.top_features.get("pairs", 0.0),
        "title of article": ranking.top_features.get("title in title", 0.0),
        "fifth gap": ranking.gaps[min(4, len(ranking.gaps) - 1)] if ranking.gaps else 0.0,
    }
