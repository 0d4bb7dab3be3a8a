"""Finds articles that mention names that a change removes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.facts.removed_names import RemovedName
from instep.platform.core.name_matching import mention

_MAX_NAMES, _MAX_ARTICLES = 400, 60

# The removed names that an article mentions, by the article's id.
RemovedMentions = Mapping[str, Sequence[RemovedName]]


def removed_mentions(removals: Sequence[RemovedName], corpus: Corpus) -> RemovedMentions:
    """The first removed names that articles mention, by article."""
    names_by_article: dict[str, list[RemovedName]] = defaultdict(list)
    for row in removals[:_MAX_NAMES]:
        pattern, articles = mention(row.name), corpus.articles_with(row.name)
        # A name in this many articles is not distinctive.
        for article in articles if len(articles) <= _MAX_ARTICLES else ():
            if pattern.search(article.text):
                names_by_article[article.id].append(row)
    return names_by_article
