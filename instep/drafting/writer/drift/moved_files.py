"""Links into the repository whose files a past change has renamed or deleted."""

from collections.abc import Iterator, Sequence

from instep.drafting.writer.articles.records import is_record
from instep.drafting.writer.drift.past_changes import CodeToday, Drift, MovedFile
from instep.drafting.writer.drift.repository_links import RepositoryLink, repository_links
from instep.drafting.writer.editing.edits import Edit
from instep.drafting.writer.facts.became import Became
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.shapes import Article


def find_moved(articles: Sequence[Article], today: CodeToday) -> Iterator[Drift]:
    """The links of articles to files and folders that the repository does not have any more."""
    moves = {move.old: move for move in today.moves}
    for article in articles if moves else ():
        for link in repository_links(article.text) if not is_record(article) else ():
            move = moves.get(link.path) if link.home in {"", today.home} else None
            if move:
                yield _drift_of(move, link, article)


def _drift_of(move: MovedFile, link: RepositoryLink, article: Article) -> Drift:
    source = SourceLine(move.new or move.old, 1, move.new or move.old, 1.0)
    if move.new is None:
        return Drift("gone", article, link.start, link.end, move.change, source)
    fact = Became("name", move.old, move.new, (source,), {})
    edit = Edit(link.start, link.end, move.new, fact)
    return Drift("renamed", article, link.start, link.end, move.change, source, edit)
