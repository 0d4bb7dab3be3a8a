"""Reads a documentation category of Discourse: saved responses of its API, also those of the fetcher.

The first post of each topic is an article. Forums order their documentation in an index topic: lists or
tables of links below headings.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from html import escape

from instep.transfer.imports.html import html_document as dom
from instep.transfer.imports.products.html_texts import HtmlTexts, parse_page, read_saved_files
from instep.transfer.imports.products.json_files import Row, documents, key, number, objects, sample, text
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import (
    ImportedPage,
    Losses,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)

TOPIC = re.compile(r"(?:^|//[^/]+)/t/(?:[^/?#]+/)?(\d+)(?:[/?#]|$)")
LANGUAGE = re.compile(r"\blang(?:uage)?-([\w+-]+)")
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# An index leads to at least this share of the topics.
MIN_INDEX_SHARE = 0.5
MIN_INDEX_LINKS = 3


@dataclass(slots=True)
class Forum:
    """The saved topics by id, with the HTML of their first posts."""

    url: str = ""
    categories: dict[str, Row] = field(default_factory=dict)
    topics: dict[str, Row] = field(default_factory=dict)
    posts: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    listed_ids: set[str] = field(default_factory=set)


def recognises(files: SourceFiles) -> bool:
    return any(
        isinstance(each, dict) and {"topic_list", "post_stream"} & each.keys() for each in sample(files)
    )


def read(files: SourceFiles, losses: Losses) -> Tree:
    forum = forum_of(files)
    if not forum.topics:
        raise UnreadableSource(
            "No file contains the text of a topic. Lists of Discourse don't include it: save each topic too."
        )
    for topic_id in sorted(forum.listed_ids - forum.topics.keys()):
        losses.add(f"topic {topic_id}", "topic that is listed, but whose text isn't in any file")
    texts = HtmlTexts(losses, read_saved_files(files), simplify_post)
    pages = {topic_id: page_of(forum, topic_id, texts) for topic_id in forum.topics}
    entries = entries_of_index(forum) or entries_of_categories(forum)
    sites = (forum.url,) if forum.url else ()
    return Tree("discourse", None, *arrange(entries, pages, losses), sites=sites)


def forum_of(files: SourceFiles) -> Forum:
    forum = Forum()
    for path, document in documents(files):
        if not isinstance(document, dict):
            continue
        forum.url = text(document, "url") or forum.url
        forum.categories |= {str(row["id"]): row for row in objects(document.get("categories"))}
        topic_list, stream = document.get("topic_list"), document.get("post_stream")
        if isinstance(topic_list, dict):
            forum.listed_ids |= {str(row["id"]) for row in objects(topic_list.get("topics"))}
        posts = objects(stream.get("posts")) if isinstance(stream, dict) else []
        topic_id = key(document)
        if topic_id and posts:
            first = min(posts, key=lambda post: number(post, "post_number"))
            forum.topics[topic_id], forum.posts[topic_id] = document, text(first, "cooked")
            forum.paths[topic_id] = path
    return forum


def page_of(forum: Forum, topic_id: str, texts: HtmlTexts) -> ImportedPage:
    row = forum.topics[topic_id]
    page = texts.article(topic_id, forum.paths[topic_id], text(row, "title"), forum.posts[topic_id])
    slug = text(row, "slug")
    by_id = f"/t/{topic_id}"
    return replace(
        page,
        address=f"/t/{slug}/{topic_id}" if slug else by_id,
        former_addresses=(by_id, f"{by_id}/*", *([f"/t/{slug}/{topic_id}/*"] if slug else [])),
        slug=slug or None,
    )


def entries_of_index(forum: Forum) -> list[Entry]:
    """The navigation in the topic that links to most of the others; empty if there is no such topic."""
    targets = {topic_id: index_links(forum, topic_id) for topic_id in forum.topics}
    index = max(targets, key=lambda topic_id: len({target for target, _ in targets[topic_id] if target}))
    count = len({target for target, _ in targets[index] if target})
    if count < max(MIN_INDEX_LINKS, MIN_INDEX_SHARE * (len(forum.topics) - 1)):
        return []
    entries = [Entry(text(forum.topics[index], "title"), index)]
    section = entries
    for target, title in targets[index]:
        if target is None:
            entries.append(Entry(title))
            section = entries[-1].entries
        else:
            section.append(Entry(title, target))
    return entries


def index_links(forum: Forum, topic_id: str) -> list[tuple[str | None, str]]:
    """The other topics that a topic lists, with their labels, and without a topic the headings above them."""
    links = list[tuple[str | None, str]]()
    for node in parse_page(forum.posts[topic_id].encode()).css(", ".join((*HEADINGS, "tr", "li"))):
        link = next((each for each in node.css("a[href]") if is_own(each, node)), None)
        match = TOPIC.search(link.attributes.get("href") or "") if link is not None else None
        if link is not None and match and match[1] in forum.topics and match[1] != topic_id:
            links.append((match[1], dom.text_of(link)))
        elif dom.tag_of(node) in HEADINGS and dom.text_of(node):
            links.append((None, dom.text_of(node)))
        elif dom.tag_of(node) == "tr" and node.css_first("th") is None and link is None:
            cells = [words for cell in node.css("td") if (words := dom.text_of(cell))]
            links += [(None, cells[-1])] if cells else []
    return links


def is_own(link: dom.Node, node: dom.Node) -> bool:
    """True if no list item is between a link and the element."""
    above = next(
        (parent for parent in dom.parents_of(link) if dom.tag_of(parent) in ("li", "tr", *HEADINGS)), None
    )
    return above is not None and above.mem_id == node.mem_id


def entries_of_categories(forum: Forum) -> list[Entry]:
    """The topics by title, in a collection for each category if there are several."""
    by_category: defaultdict[str, list[Entry]] = defaultdict(list)
    for topic_id, row in forum.topics.items():
        by_category[key(row, "category_id") or ""].append(Entry(text(row, "title"), topic_id))
    for entries in by_category.values():
        entries.sort(key=lambda entry: entry.title.casefold())
    if len(by_category) == 1:
        return next(iter(by_category.values()))
    rows = {id: forum.categories.get(id, {}) for id in by_category}
    ids = sorted(by_category, key=lambda id: (number(rows[id], "position"), text(rows[id], "name")))
    return [Entry(text(rows[id], "name") or f"Category {id}", None, by_category[id]) for id in ids]


def simplify_post(document: dom.HtmlDocument) -> None:
    """Turn the elements that Discourse adds to posts into plain HTML."""
    for node in document.css(".lightbox .meta, .onebox .source img, .cooked-selection-barrier"):
        dom.discard(node)
    for wrapper in document.css("a.lightbox, .lightbox-wrapper"):
        dom.unwrap(wrapper)
    for emoji in document.css("img.emoji"):
        replacement = document.parser.create_node("span")
        replacement.insert_child(emoji.attributes.get("alt") or "")
        emoji.insert_before(replacement, move=True)
        dom.discard(emoji)
    for box in document.css("aside.onebox"):
        link = box.css_first("article a[href]") or box.css_first("a[href]")
        href = (link.attributes.get("href") or "") if link is not None else ""
        title = dom.text_of(link) if link is not None else ""
        dom.replace_inner(
            dom.rename(document, box, "p"), f'<a href="{escape(href)}">{escape(title or href)}</a>'
        )
    for code in document.css("pre code[class]"):
        language = LANGUAGE.search(code.attributes.get("class") or "")
        if language and language[1] in ("auto", "nohighlight", "plaintext"):
            code.attrs["class"] = ""


READER = Reader("discourse", "Discourse", recognises, read)
