"""The requests of the editor's scripts: a preview, links to offer, a file upload, Markdown of pasted HTML."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from starlette.responses import Response

from instep.content.articles.actions import list_link_targets
from instep.content.files.actions import upload_file
from instep.content.files.picture_sizes import render_with_sizes
from instep.content.files.schemas import file_url
from instep.content.parts.actions import offer_parts
from instep.content.parts.readers_texts import expand_text
from instep.content.style.actions import find_style
from instep.content.style.style_checks import Violation
from instep.content.style.text_checks import find_violations
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.writing.editor_form import BAD_REQUEST
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.identity.scopes import Role
from instep.platform.web.diagrams import fold_diagrams
from instep.platform.web.forms import FormFile
from instep.platform.web.pages import sanitised
from instep.transfer.imports.html.convert import to_markdown

router = PageRouter("writing", Role.EDITOR, section="articles")


@router.post("preview", form_bytes=limits.MAX_EDITOR_FORM_BYTES, open_while_paused=True)
async def show_preview(page: BotPage) -> Response:
    """The text as its page will show it; each block has the number of its line in the Markdown."""
    text = page.form.get("content", "").replace("\r\n", "\n")[: limits.MAX_CONTENT_CHARACTERS]
    try:
        readers_text = (await expand_text(page.ctx, text, page.form.get("locale", page.bot.locale))).text
        html = await render_with_sizes(page.ctx, readers_text, has_lines=readers_text == text)
    except AppError as refusal:
        if refusal.status != BAD_REQUEST:
            raise
        return page.show_part("writing/preview.html", text=None, message=refusal.message)
    return page.show_part("writing/preview.html", text=sanitised(fold_diagrams(html, "en")), message=None)


@router.post("style", form_bytes=limits.MAX_EDITOR_FORM_BYTES, open_while_paused=True)
async def show_style(page: BotPage) -> Response:
    """The violations of the style in the typed text; a script asks for them at every pause."""
    text = page.form.get("content", "").replace("\r\n", "\n")[: limits.MAX_CONTENT_CHARACTERS]
    locale = page.query.get("locale", page.bot.locale)
    violations = await find_violations(text, await find_style(page.ctx), locale)
    return page.show_part("writing/style.html", violations=list(with_script_offsets(text, violations)))


def with_script_offsets(text: str, violations: Sequence[Violation]) -> Iterator[tuple[Violation, int, int]]:
    """Each violation with its start and end as scripts count, in UTF-16."""
    offset = position = 0
    for violation in violations:
        offset += utf16_length(text[position : violation.start])
        position = violation.start
        yield violation, offset, offset + utf16_length(violation.words)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@router.post("pasted", form_bytes=limits.MAX_EDITOR_FORM_BYTES, open_while_paused=True)
async def convert_pasted(page: BotPage) -> Response:
    """The Markdown of HTML from the clipboard; empty if it is too expensive to convert."""
    try:
        seconds = limits.MAX_RENDER_SECONDS
        converted = await run_with_timeout(to_markdown, page.form.get("html", ""), "", seconds=seconds)
    except TimeLimitExceeded:
        return page.answer(markdown="")
    return page.answer(markdown=converted.markdown.rstrip("\n"))


@router.get("links")
async def complete_link(page: BotPage) -> Response:
    """Articles whose title or address contains the typed text, those that begin with it first."""
    words = page.query.get("q", "").replace("\0", " ")[: limits.MAX_QUERY_CHARACTERS]
    targets = await list_link_targets(page.ctx, words, page.query.get("locale", page.bot.locale))
    return page.answer(offers=[{"title": target.title, "path": target.path(page.bot)} for target in targets])


@router.get("parts")
async def complete_part(page: BotPage) -> Response:
    """Parts and variables whose reference contains the typed text, with the beginning of their texts."""
    words = page.query.get("q", "").replace("\0", " ")[: limits.MAX_QUERY_CHARACTERS]
    parts = await offer_parts(page.ctx, words, page.query.get("locale", page.bot.locale))
    return page.answer(offers=[{"reference": part.reference, "text": part.text} for part in parts])


@router.post("files", form_bytes=limits.MAX_FILE_FORM_BYTES, takes_files=True)
async def take_file(page: BotPage) -> Response:
    """Store a file that was pasted or dropped into a text."""
    sent, storages = page.form.files.get("file", FormFile("", b"")), page.request.app.state.storages
    name = sent.name or "picture"
    try:
        uploaded = await upload_file(page.ctx, storages.for_new_files, name, sent.content)
    except AppError as refusal:
        if refusal.status != BAD_REQUEST:
            raise
        return page.answer(BAD_REQUEST, message=refusal.message)
    file = uploaded.file
    # A path, as in links to articles: it works wherever this installation is served.
    path = urlsplit(file_url(page.bot, file)).path
    return page.answer(url=path, name=file.name, isPicture=file.width is not None)
