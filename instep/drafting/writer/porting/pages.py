"""Whole documentation files: added ones become articles, deleted ones are reported."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from instep.drafting.writer.articles.headings import headings_of
from instep.drafting.writer.articles.parsed_article import front_matter
from instep.drafting.writer.diffs.change_set import ReviewedFile
from instep.drafting.writer.diffs.documentation import is_about_the_project
from instep.drafting.writer.porting.counterparts import LineIndex, name_of, telling_lines
from instep.drafting.writer.porting.link_resolver import LinkResolver
from instep.drafting.writer.porting.raw_markup import raw_markup_warnings
from instep.drafting.writer.shapes import Article, Evidence, Proposal, excerpt_of
from instep.drafting.writer.words.identifiers import key_of
from instep.platform.core import limits
from instep.platform.text.characters import in_one_line, remove_hidden
from instep.platform.text.patch import FilePatch

_FOLDER = re.compile(
    r"^(?:docs?|documentation|manual|guides?|help|handbook|website|site|www|pages|content|user[-_]?docs?)$",
    re.IGNORECASE,
)
_INTERNAL_FOLDER = re.compile(
    r"^(?:adrs?|decisions?|rfcs?|design|internals?|dev|development|developers?|contributing|blog|posts?|partials?"
    r"|includes?|snippets?|templates?|proposals?|plans?|prompts?|_\w+|\.\w.*)$",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(r"^(?P<language>[a-z]{2}|[a-z]{2}[-_][A-Za-z]{2,4})$")
_TITLE_LINE = re.compile(r"^title[ \t]*+[:=](?P<title>.++)$", re.MULTILINE)
_MAX_NEW_PAGES = 10
_MIN_CHARACTERS = 80
# An article with this share of a file's distinctive lines contains its text.
_SAME_TEXT_SHARE = 0.6


def new_pages(
    files: Sequence[ReviewedFile], articles: Sequence[Article], folders: frozenset[str], links: LinkResolver
) -> tuple[Proposal, ...]:
    """The added files that are manual pages without an article; `folders` contain such pages."""
    texts = {file.patch.path: _text_of(file.patch) for file in files if _is_new_page(file, folders)}
    titles = {key_of(article.title) for article in articles}
    pages = list[Proposal]()
    for path, text in texts.items():
        title = title_of(path, text)
        if key_of(title) in titles or len(text) < _MIN_CHARACTERS or _is_translation(path, texts):
            continue
        titles.add(key_of(title))
        pages.append(_page(path, title, text, links))
    return tuple(pages[:_MAX_NEW_PAGES])


def deleted_pages(files: Sequence[ReviewedFile], index: LineIndex) -> Iterator[tuple[Article, str]]:
    """The articles with the text of a deleted file, and the file's path."""
    for file in files:
        if file.patch.status == "deleted" and telling_lines(file.patch):
            for article in index.nearest(file.patch)[:1]:
                if index.share(file.patch, article) >= _SAME_TEXT_SHARE:
                    yield article, file.patch.path


def title_of(path: str, text: str) -> str:
    """The title of a page: from its front matter, its first heading, or its name."""
    stated = _TITLE_LINE.search(front_matter(text))
    headings = headings_of(text)
    candidates = (
        unquoted(stated["title"]) if stated else "",
        headings[0].title if headings else "",
        re.sub(r"[_-]+", " ", name_of(path)).strip().capitalize(),
        path,
    )
    # A site generator leaves titles blank.
    return next(title for title in map(clean_title, candidates) if title)


def clean_title(text: str) -> str:
    return in_one_line(text.replace("`", ""))[: limits.MAX_TITLE_CHARACTERS].strip()


def unquoted(text: str) -> str:
    bare = text.strip()
    return bare[1:-1].strip() if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'" else bare


def _is_new_page(file: ReviewedFile, folders: frozenset[str]) -> bool:
    path, parts = file.patch.path, file.patch.path.split("/")[:-1]
    if file.patch.status != "added" or file.kind in {"test", "internal"} or is_about_the_project(path):
        return False
    if any(_INTERNAL_FOLDER.match(part) for part in parts):
        return False
    return any(_FOLDER.match(part) for part in parts) or posixpath.dirname(path) in folders


def _is_translation(path: str, texts: Mapping[str, str]) -> bool:
    """True if another added file is the same page in English, or in a language that sorts first."""
    parts = path.split("/")
    for index, part in enumerate(parts):
        if _LANGUAGE.match(part) and part != "en":
            others = (
                "/".join([*parts[:index], "en", *parts[index + 1 :]]),
                "/".join(parts[:index] + parts[index + 1 :]),
            )
            if any(other in texts for other in others):
                return True
    return False


def _text_of(file: FilePatch) -> str:
    return remove_hidden("\n".join(line.text for line in file.lines() if line.mark == "+")) + "\n"


def _page(path: str, title: str, text: str, links: LinkResolver) -> Proposal:
    body = _without_title(text[len(front_matter(text)) :], title).strip("\n")
    resolved, warnings = links.resolve(body, path, "")
    return Proposal(
        type="new_article",
        article_id=None,
        title=title,
        text=f"{resolved}\n",
        reason=f"The change adds the page `{path}`, which has no article.",
        evidence=(Evidence(path, 1, text.count("\n"), excerpt_of(text), 1),),
        warnings=(*raw_markup_warnings(body, ""), *warnings),
    )


def _without_title(body: str, title: str) -> str:
    """The text below its title, which an article shows separately."""
    headings = headings_of(body)
    if not headings or body[: headings[0].start].strip() or key_of(headings[0].title) != key_of(title):
        return body
    lines = body[headings[0].start :].split("\n")
    is_underlined = not lines[0].lstrip().startswith("#")
    return "\n".join(lines[2 if is_underlined else 1 :])
