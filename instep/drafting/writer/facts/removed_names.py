"""Names that a change removes completely, and the articles that mention them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.diffs.change_set import ChangeSet
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.platform.core.name_matching import is_distinct, mention
from instep.platform.text.file_kinds import LONG_LINE

_NAME = re.compile(r"--[a-z][\w-]+|[A-Za-z_]\w+|(?<=[\"'`])/[\w./{}:<>-]+(?=[\"'`?])")
_MAX_NAMES, _MAX_SOUGHT_NAMES, _MAX_ARTICLES = 2_000, 400, 60


@dataclass(frozen=True, slots=True)
class RemovedName:
    """A name, and the first line that had it."""

    name: str
    source: SourceLine


# The removed names that an article mentions, by the article's id.
RemovedMentions = Mapping[str, Sequence[RemovedName]]


def find_removed_names(change_set: ChangeSet) -> tuple[RemovedName, ...]:
    """The names that only removed lines contain, in file order; names in tests don't count."""
    remaining, removed = set[str](), dict[str, SourceLine]()
    for file in change_set.files:
        for line in file.patch.lines():
            if len(line.text) > LONG_LINE:
                continue
            if line.mark != "-":
                remaining.update(_NAME.findall(line.text))
            elif file.kind not in {"test", "internal"}:
                source = SourceLine(file.patch.old_path, line.old, line.text, file.weight)
                for name in _NAME.findall(line.text):
                    removed.setdefault(name, source)
    return tuple(islice(_gone(removed, remaining), _MAX_NAMES))


def _gone(removed: dict[str, SourceLine], remaining: set[str]) -> Iterator[RemovedName]:
    for name, source in removed.items():
        if name not in remaining and is_distinct(name):
            yield RemovedName(name, source)


def removed_mentions(removals: Sequence[RemovedName], corpus: Corpus) -> RemovedMentions:
    """The first removed names that articles mention, by article."""
    names_by_article: dict[str, list[RemovedName]] = defaultdict(list)
    for row in removals[:_MAX_SOUGHT_NAMES]:
        pattern, articles = mention(row.name), corpus.articles_with(row.name)
        # A name in this many articles is not distinctive.
        for article in articles if len(articles) <= _MAX_ARTICLES else ():
            if pattern.search(article.text):
                names_by_article[article.id].append(row)
    return names_by_article
