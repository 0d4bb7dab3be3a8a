"""Makes edits of articles in the files of another branch; what the edits do not touch keeps its bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from instep.drafting.drafts.schemas import DraftTexts
from instep.platform.core.errors import InvalidRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import split_lines
from instep.platform.web.errors import body_from
from instep.transfer.exports.page_file import PageFile, split_page, with_value
from instep.transfer.exports.relative_links import DESTINATION, article_address, path_of_target
from instep.transfer.git_sync import queries
from instep.transfer.git_sync.pages import UnusablePage, parse_page
from instep.transfer.git_sync.schemas import Sync, SyncCreate, SyncedFile
from instep.transfer.git_sync.three_way import in_other_notation, merge_texts
from instep.transfer.git_sync.work import SyncWork, article_text_of_file

# The marks around a destination.
QUOTES = "<>\"'"


class BranchOverlap(InvalidRequest):
    """The branch and the draft change the same lines of the file: edit the file in the branch."""


@dataclass(slots=True)
class BranchEdits:
    """The texts of files with the edits, by path, and the refusals of edits, by draft id."""

    texts: dict[str, str]
    refusals: dict[str, str] = field(default_factory=dict)


async def list_synced_folders(ctx: Ctx) -> list[str]:
    """The folders of git repositories that are synced with the help center."""
    return await queries.list_folders(ctx)


async def find_file_paths(ctx: Ctx, folder: str, article_ids: Sequence[str]) -> dict[str, str]:
    """The paths of articles' files in a synced folder, by article id; articles without a file have none."""
    rows = await queries.list_files_of(ctx, folder, article_ids)
    return {row.resource_id: row.path for row in rows if row.file_text is not None}


async def edit_files(
    ctx: Ctx, folder: str, commit: str, texts: Mapping[str, str], drafts: Sequence[DraftTexts]
) -> BranchEdits:
    """Merge pending edits into their files, whose texts at a commit of any branch are given by path."""
    rows = await queries.list_files_of(ctx, folder, [draft.article_id for draft in drafts])
    request = body_from(SyncCreate, {"folder": folder, "commit": commit, "files": []})
    work = SyncWork(ctx, request, Sync(folder, commit, is_dry_run=True), {row.path: row for row in rows})
    for address in await queries.list_addresses(ctx, folder):
        names = (article_address(ctx.bot, address.locale, ref) for ref in (address.slug, address.id))
        work.site.add(address.path, *names)
    for row in rows:
        add_known_targets(work, row)
    rows_by_article = {row.resource_id: row for row in rows}
    edits = BranchEdits(dict(texts))
    for draft in drafts:
        row = rows_by_article[draft.article_id]
        try:
            edits.texts[row.path] = await edited_text(work, row, edits.texts[row.path], draft)
        except InvalidRequest as refusal:
            edits.refusals[draft.id] = refusal.message
    return edits


def add_known_targets(work: SyncWork, row: SyncedFile) -> None:
    """Map images and other links of a file to their addresses in the article, as at the last sync."""
    file_lines = split_lines(split_page(row.file_text or "").body)
    for file_line, article_line in zip(file_lines, split_lines(row.article_text or ""), strict=False):
        if file_line == article_line:
            continue
        sides = DESTINATION.finditer(file_line), DESTINATION.finditer(article_line)
        for target, address in zip(*sides, strict=False):
            path = path_of_target(row.path, target["target"].strip(QUOTES))
            if path is not None and path not in work.site.addresses:
                work.site.add(path, address["target"].strip(QUOTES))


async def edited_text(work: SyncWork, row: SyncedFile, text: str, draft: DraftTexts) -> str:
    page = parse_page(row.path, text)
    if page is None:
        raise UnusablePage(f"{row.path} has no `title` in its front matter there.")
    theirs = await article_text_of_file(work, page, row, draft.current_content)
    content = await merge_texts(draft.base_content, draft.content, theirs)
    title = page.matter["title"]
    is_retitled = draft.proposed_title not in (None, draft.base_title, title)
    if content is None or (is_retitled and title != draft.base_title):
        raise BranchOverlap
    body = await in_other_notation(theirs, content, page.file.body, work.to_paths(content, page.path))
    file = PageFile(page.file.head, body)
    return with_value(file, "title", draft.proposed_title).text if is_retitled else file.text
