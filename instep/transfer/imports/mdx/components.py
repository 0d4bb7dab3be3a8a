"""Converts components of documentation products to plain Markdown."""

import re
from collections.abc import Callable
from html import escape
from typing import TypeAlias

from instep.platform.core.directives import write_directive
from instep.transfer.imports.html.callout_kinds import ALERT_KINDS
from instep.transfer.imports.html.markdown_links import link, picture, picture_width
from instep.transfer.imports.markdown.callouts import alert, plain_title
from instep.transfer.imports.markdown.grouping import code_group, tabs, with_caption
from instep.transfer.imports.mdx.page_layout import (
    MarkdownPiece,
    Tag,
    block,
    bold_label,
    item,
    list_item,
    on_one_line,
    paragraphs,
    place,
)

Write: TypeAlias = Callable[[Tag], MarkdownPiece]
_HEADING = re.compile(r"#{2,6}[ \t]+(.*)$")
_KEYS = ("mods", "mod", "modifiers", "modifier", "keys", "key", "k", "arrow", "shortcut", "value", "text")
TITLES = ("title", "label", "name", "text", "value", "heading")


def unwrapped(tag: Tag) -> MarkdownPiece:
    """The content of a tag that has no meaning of its own."""
    is_block = "\n" in tag.inner
    return MarkdownPiece(tag.inner, "block" if is_block else "inline")


def icon_label(tag: Tag) -> MarkdownPiece:
    """The label of an icon, which may be all that a cell of a table says."""
    return MarkdownPiece(f"({tag.value('label')})" if tag.has("label") else "")


def dropped(tag: Tag) -> MarkdownPiece:
    return MarkdownPiece("")


def _callout(tag: Tag) -> MarkdownPiece:
    """An alert; the kind is the name of the component or one of its attributes."""
    kind = tag.name if tag.name.lower() in ALERT_KINDS else tag.value("type", "variant", "kind", "intent")
    kind = ALERT_KINDS.get(kind.lower(), "NOTE")
    title = tag.value("title", "heading")
    return block(alert(kind, plain_title(title), tag.inner)) if tag.inner or title else MarkdownPiece("")


def details(title: str, content: str) -> str:
    """A collapsible part, which our renderer supports."""
    summary = escape(plain_title(title), quote=False) or "Details"
    return f"<details>\n<summary>{summary}</summary>\n\n{content}\n\n</details>"


def _details(tag: Tag) -> MarkdownPiece:
    return block(details(tag.value(*TITLES), tag.inner))


def _tab(tag: Tag) -> MarkdownPiece:
    """A tab; surrounding tabs may provide its title."""
    tabs = tag.parent_of("Tabs", "CodeTabs", "CodeBlockTabs")
    label = ""
    if tabs is not None:
        labels = tabs.labels.get("items", [])
        label = labels[tabs.count] if tabs.count < len(labels) else ""
        tabs.count += 1
        labels_by_value = {value: text for text, value, _ in tabs.tables.get("values", [])}
        label = labels_by_value.get(tag.value("value"), label)
    title = plain_title(tag.value("title", "label", "name") or label or tag.value("value"))
    return block(write_directive("tab", tag.inner, title) if title else tag.inner)


def _tabs(tag: Tag) -> MarkdownPiece:
    return block(tabs(tag.inner))


def _code_group(tag: Tag) -> MarkdownPiece:
    return block(tabs(tag.inner) if ":tab" in tag.inner else code_group(tag.inner))


def _steps(tag: Tag) -> MarkdownPiece:
    is_list = re.match(r"\d+\. |#{2,4} ", tag.inner) is not None
    return block(write_directive("steps", tag.inner) if is_list else tag.inner)


def _cards(tag: Tag) -> MarkdownPiece:
    is_all = tag.inner.startswith(":::") and ":card" in tag.inner
    return block(write_directive("cards", tag.inner) if is_all else tag.inner)


def _step(tag: Tag) -> MarkdownPiece:
    steps = tag.parent_of("Steps")
    number = 1
    if steps is not None:
        steps.count += 1
        number = steps.count
    content = paragraphs(bold_label(tag.value("title", "label")), tag.inner)
    return block(list_item(f"{number}.", content)) if content else MarkdownPiece("")


def _card(tag: Tag) -> MarkdownPiece:
    """A card, which begins with its link if it has one."""
    target = tag.value("href", "link", "to", "url")
    title = tag.value("title", "label", "name")
    description = paragraphs(tag.value("description"), tag.inner)
    if target and not title:
        title, description = on_one_line(description), ""
    words = link(title, target) if target else ""
    body = paragraphs(words, picture(title, tag.value("img", "image")), description)
    return block(write_directive("card", body, "" if target else plain_title(title)) if body or title else "")


def _frame(tag: Tag) -> MarkdownPiece:
    """A picture with its caption."""
    return block(with_caption(tag.inner, on_one_line(tag.value("caption"))))


def _field(tag: Tag) -> MarkdownPiece:
    """A parameter as a list item: its name, its properties, then the description."""
    places = ("path", "query", "body", "header")
    place = next((name for name in places if tag.value(name)), "")
    name = tag.value("name", *places)
    facts = [tag.value("type") if name else "", place, "required" if tag.has("required") else ""]
    facts += ["deprecated" if tag.has("deprecated") else ""]
    facts += [f"default: {tag.value('default')}" if tag.value("default") else ""]
    remarks = ", ".join(fact for fact in facts if fact)
    words = " ".join(filter(None, (bold_label(name or tag.value("type")), f"({remarks})" if remarks else "")))
    is_short = tag.inner and "\n" not in tag.inner and not tag.inner.startswith("\x00")
    return item(list_item("-", f"{words}: {tag.inner}" if is_short else paragraphs(words, tag.inner)))


def _type_table(tag: Tag) -> MarkdownPiece:
    rows = tag.tables.get("type", [])
    items = [
        list_item("-", f"**{name}**" + (f" (`{kind}`)" if kind else "") + (f": {text}" if text else ""))
        for name, kind, text in rows
    ]
    return block("\n".join(items))


def _folder(tag: Tag) -> MarkdownPiece:
    return item(list_item("-", f"{tag.value('name')}/" + (f"\n{tag.inner}" if tag.inner else "")))


def _file(tag: Tag) -> MarkdownPiece:
    return item(list_item("-", tag.value("name") or tag.inner))


def _label(tag: Tag) -> MarkdownPiece:
    """A label in parentheses, because it is inside a heading or a sentence.

    A heading keeps its id without the label, because links use that.
    """
    words = on_one_line(tag.inner) or tag.value("text", "label", "children")
    heading = _HEADING.match(tag.line)
    identity = f" {place(heading_id(heading[1]))}" if heading and heading[1].strip() else ""
    return MarkdownPiece(f"({words}){identity}" if words else "")


def heading_id(title: str) -> str:
    """The id that GitHub and similar products generate for a heading."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def _tooltip(tag: Tag) -> MarkdownPiece:
    tip = on_one_line(tag.value("tip", "content", "text", "headline"))
    return MarkdownPiece(f"{tag.inner} ({tip})" if tip else tag.inner)


def _anchor(tag: Tag) -> MarkdownPiece:
    """An anchor with its text."""
    return MarkdownPiece(place(tag.value("id", "name")) + tag.inner)


def _update(tag: Tag) -> MarkdownPiece:
    """A part of a changelog page."""
    heading = ", ".join(text for text in (tag.value("label"), tag.value("description")) if text)
    return block(paragraphs(f"## {heading}" if heading else "", tag.inner))


def illustration(tag: Tag) -> MarkdownPiece:
    width = picture_width(tag.value("width"), tag.value("style"))
    return MarkdownPiece(picture(tag.value("alt", "title"), tag.value("src", "href", "light"), width))


def _link(tag: Tag) -> MarkdownPiece:
    return MarkdownPiece(
        link(on_one_line(tag.inner) or tag.value(*TITLES), tag.value("href", "link", "to", "url"))
    )


def _panel(tag: Tag) -> MarkdownPiece:
    """A block with a label that is not a tab."""
    return block(paragraphs(bold_label(tag.value("title", "label", "name")), tag.inner))


def _keys(tag: Tag) -> MarkdownPiece:
    """A key combination, from the content or the attributes."""
    named = [word for name in _KEYS for word in tag.labels.get(name) or tag.value(name).split()]
    keys = on_one_line(tag.inner) or escape("+".join(key[:1].upper() + key[1:] for key in named), quote=False)
    return MarkdownPiece(f"<kbd>{keys}</kbd>" if keys else "")


def _formula(tag: Tag) -> MarkdownPiece:
    return MarkdownPiece(f"$`{on_one_line(tag.inner)}`$")


def with_names(write: Write, names: str) -> dict[str, Write]:
    """The same function for each of these names."""
    return dict.fromkeys(names.split(), write)


COMPONENTS: dict[str, Write] = {
    **with_names(
        _callout, "Note Info Tip Check Warning Warn Danger Error Success Caution Important Hint Callout"
    ),
    **with_names(_callout, "Callouts.Callout Aside Admonition Alert Banner"),
    **with_names(_details, "Accordion Expandable Collapse Collapsible Details Accordions.Accordion"),
    **with_names(_tab, "Tab TabItem Tabs.Tab CodeBlockTab TabsContent CodeGroupItem"),
    **with_names(_panel, "View Panel Prompt Color.Row"),
    **with_names(_step, "Step Steps.Step"),
    **with_names(_card, "Card Tile LinkCard Cards.Card Card.Link"),
    **with_names(_frame, "Frame"),
    **with_names(_field, "ParamField ResponseField Param Property Properties.Property"),
    **with_names(_type_table, "TypeTable"),
    **with_names(_folder, "Folder FileTree.Folder Tree.Folder Files.Folder"),
    **with_names(_file, "File FileTree.File Tree.File Files.File"),
    **with_names(_label, "Badge Tag"),
    **with_names(_tooltip, "Tooltip Term"),
    "Anchor": _anchor,
    **with_names(_update, "Update"),
    **with_names(illustration, "Image Img ImageZoom Picture ThemedImage ThemeImage"),
    **with_names(_link, "LinkButton Button ButtonLink Link NavLink RouterLink DynamicLink A"),
    **with_names(_keys, "Kbd Key"),
    **with_names(_formula, "Latex Math InlineMath"),
    **with_names(_tabs, "Tabs CodeTabs CodeBlockTabs"),
    **with_names(_code_group, "CodeGroup RequestExample ResponseExample"),
    **with_names(_steps, "Steps"),
    **with_names(_cards, "CardGroup Cards CardGrid Columns"),
    **with_names(unwrapped, "AccordionGroup Accordions Column FileTree Files Tree Fragment"),
    **with_names(unwrapped, "ClientOnly Head BrowserOnly Bleed Center TabsPanels Properties"),
    "Icon": icon_label,
    **with_names(dropped, "Spacer Divider TabsList TabsTrigger CodeBlockTabsList CodeBlockTabsTrigger"),
    "": unwrapped,
}
