"""How likely a change needs documentation at all: logistic regression over title, lines and names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log

from instep.core.logistic import LogisticModel
from instep.core.name_matching import is_distinct
from instep.writer.articles.corpus import Corpus
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.relevance.ranking import ArticleRanking
from instep.writer.shapes import Change
from instep.writer.words.change_terms import change_terms

_VISIBLE = re.compile(
    r"\b(?:add(?:s|ed|ing)?|new|support(?:s|ed|ing)?|allow(?:s|ed|ing)?|introduc\w+|implement\w*|options?|settings?"
    r"|config\w*|renam\w+|deprecat\w+|drop(?:s|ped)?|remov(?:e|es|ed|ing)|defaults?|document\w*|docs?|expos\w+"
    r"|enabl\w+|customi[sz]\w+|feat\w*|parameters?|arguments?|api|commands?|flags?|minimum|requir\w+|limit\w*"
    r"|chang(?:e|es|ed)|replac\w+)\b",
    re.IGNORECASE,
)
_INVISIBLE = re.compile(
    r"\b(?:fix(?:es|ed|ing)?|refactor\w*|chore|tests?|ci|bump\w*|typos?|typing|types?|style|styling|perf\w*"
    r"|upgrad\w+|internal\w*|lint\w*|unused|clean ?up|crash\w*|bugs?|regress\w+|revert\w*|flaky|tweak\w*"
    r"|visual|icons?|css|log(?:ging)?|simplif\w+|moved?|deps?|dependenc\w+|prevent\w*|ensure|correct\w*|handl\w+|errors?)\b",
    re.IGNORECASE,
)
_FIX = re.compile(r"\W*(?:fix|bug|🐛)", re.IGNORECASE)
_NAMED = re.compile(r"`[^`]+`|(?<!\w)\w+_\w++|--\w+")
_PROSE = re.compile(
    r"^\s*(?:#|//|\*|--|<!--|[A-Z][a-z]+ [a-z]+)|help=|description|\"\"\"|placeholder|label|title=|summary"
)
_NAME = re.compile(r"--?[a-zA-Z][\w-]+|[A-Za-z_]\w*(?:-\w+)*")
_MAX_LINE_CHARACTERS = 1_000
# Mean, standard deviation and weight per feature, fitted on six products. Leave-one-product-out validation
# scored about the same (docs/quality.md).
_FITTED: Mapping[str, tuple[float, float, float]] = {
    "visible": (0.96, 0.83, 0.72),
    "invisible": (0.48, 0.70, -0.10),
    "fix": (0.17, 0.37, -0.36),
    "named": (0.29, 0.58, 0.35),
    "title_overlap": (0.66, 0.81, 0.25),
    "interface": (0.17, 0.30, 0.48),
    "prose": (0.09, 0.14, 0.24),
    "added": (0.71, 0.24, 0.08),
    "documented": (0.78, 0.90, 0.15),
    "new_names": (1.52, 1.30, 0.09),
    "lines": (0.25, 0.23, 0.44),
    "removed": (0.33, 0.32, 0.21),
    "context": (0.42, 0.28, 0.14),
    "tests": (0.83, 0.73, 0.58),
    "docs": (0.02, 0.15, 0.24),
    "pairs": (0.19, 0.20, 0.26),
    "path": (0.32, 0.32, -0.28),
    "fifth_gap": (3.80, 2.33, 0.35),
}
_MODEL = LogisticModel({name: weight for name, (_, _, weight) in _FITTED.items()}, 0.38)


@dataclass(slots=True)
class _Lines:
    """Counts over the lines of a change that users may notice: in lines, and the distinct names in them."""

    changed: int = 0
    added: int = 0
    prose: int = 0
    interface: int = 0
    new_names: set[str] = field(default_factory=set)
    old_names: set[str] = field(default_factory=set)
    all_old: set[str] = field(default_factory=set)


def doc_need_probability(
    change: Change, change_set: ChangeSet, ranking: ArticleRanking, corpus: Corpus
) -> float:
    """The probability that a change needs an edit of any article, comparable between changes."""
    features = _features(change, change_set, ranking, corpus)
    return _MODEL.probability(
        {name: (features[name] - mean) / deviation for name, (mean, deviation, _) in _FITTED.items()}
    )


def _features(
    change: Change, change_set: ChangeSet, ranking: ArticleRanking, corpus: Corpus
) -> dict[str, float]:
    lines = _read_lines(change_set)
    all_changed = sum(line.mark != " " for file in change_set.files for line in file.patch.lines()) or 1
    return {
        "visible": min(2, len(_VISIBLE.findall(change.title))),
        "invisible": min(2, len(_INVISIBLE.findall(change.title))),
        "fix": float(bool(_FIX.match(change.title))),
        "named": min(3, len(_NAMED.findall(change.title))),
        "title_overlap": min(3, _title_overlap(change, ranking, corpus)),
        "interface": lines.interface / all_changed,
        "prose": lines.prose / (lines.added or 1),
        "added": lines.added / (lines.changed or 1),
        "documented": log(1 + sum(1 for name in lines.old_names if corpus.document_frequency(name))),
        "new_names": log(1 + len(lines.new_names - lines.all_old)),
        "lines": ranking.passage_lead.get("lines", 0.0),
        "removed": ranking.passage_lead.get("removed", 0.0),
        "context": ranking.lead.get("context", 0.0),
        "tests": log(1 + sum(file.kind == "test" for file in change_set.files)),
        "docs": float(any(file.kind == "docs" for file in change_set.files)),
        "pairs": ranking.top_features.get("pairs", 0.0),
        "path": ranking.top_features.get("path", 0.0),
        "fifth_gap": ranking.gaps[min(4, len(ranking.gaps) - 1)] if ranking.gaps else 0.0,
    }


def _title_overlap(change: Change, ranking: ArticleRanking, corpus: Corpus) -> int:
    """How many terms of the change's title occur in the title of the nearest article."""
    best = ranking.order[0] if ranking.order else None
    title = next((article.title for article in corpus.articles if article.id == best), "")
    return len(change_terms(change.title).keys() & change_terms(title).keys())


def _read_lines(change_set: ChangeSet) -> _Lines:
    lines = _Lines()
    for file in change_set.files:
        if file.kind in {"test", "internal"}:
            continue
        for line in file.patch.lines():
            if len(line.text) <= _MAX_LINE_CHARACTERS:
                _read_line(lines, line.mark, line.text, file.kind == "interface")
    return lines


def _read_line(lines: _Lines, mark: str, text: str, is_interface: bool) -> None:
    names = _NAME.findall(text)
    lines.changed += mark != " "
    lines.interface += is_interface and mark != " "
    if mark == "+":
        lines.added += 1
        lines.prose += bool(_PROSE.search(text))
        lines.new_names.update(name for name in names if is_distinct(name))
    else:
        lines.all_old.update(names)
        if mark == "-":
            lines.old_names.update(name for name in names if is_distinct(name))
