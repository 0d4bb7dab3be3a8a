"""Commits approved edits to the branch of a pull request or, if it is closed to Instep, to another branch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from instep.client.ci.escaping import inert
from instep.drafting.comments.actions import add_comment
from instep.drafting.comments.schemas import CommentCreate
from instep.drafting.drafts.schemas import DraftTexts
from instep.platform.core import limits
from instep.platform.core.jobs import Postponed
from instep.platform.web.errors import body_from
from instep.transfer.git_sync.branch_edits import edit_files, find_file_paths
from instep.transfer.repositories import review_queries
from instep.transfer.repositories.held_pulls import READER, HeldPull
from instep.transfer.repositories.hosts.host_commits import (
    COMMITS,
    BranchCommit,
    FileEdit,
    GitHubCommits,
    GitLabCommits,
    HostBranch,
)
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_requests import HostApi, HostRefused
from instep.transfer.repositories.pull_text import LEFT_IN_GIT, NOT_COMMITTED, ReviewState, command_word
from instep.transfer.repositories.schemas import SYNC_BRANCHES, PullRequest

MESSAGE = "Apply approved edits of the help center"
TITLE = "Update the docs for pull request {number}"
BODY = "These edits were approved in {url}, to whose branch Instep can't commit."
COMMITTED = "It is in this branch, in commit {commit}."
COMMITTED_APART = "It is in a pull request of its own, {url}, because this branch is closed to Instep."
CONTAINED = "The branch contains it already."
# The comment on a draft, with the address of the pull request.
LEFT_COMMENT = "From {url}: {outcome} {left}"
NO_FILE = "its article has no file in {folder}."
NOT_THERE = "{path} is not in the branch."
NOT_UTF_8 = "{path} is not UTF-8."
NO_CODE_ACCESS = (
    "{host} does not let Instep write to this repository (status {status}). Give the app or the token write"
    " access to the code (at GitHub: Contents), then comment `{word} commit`."
)


@dataclass(frozen=True, slots=True)
class BranchOutcome:
    """A commit with edits, None if the branch had them; and why others were refused, by draft id."""

    commit: BranchCommit | None
    refusals: Mapping[str, str]


async def commit_approved(
    work: HeldPull, api: HostApi, request: PullRequest, state: ReviewState
) -> PullRequest | None:
    """Commit what was approved at the host; the pull request with its new head, None if nothing was due."""
    folder = work.repository.docs_folder
    due = [item for item in state.drafts if item.is_approved_here and not item.entry.outcome]
    # The job of a newer commit begins a review when the drafts belong to that commit.
    if folder is None or not due or not request.is_open or work.change.head != request.head:
        return None
    drafts = [item.detail.draft for item in due if item.detail.draft.type == "edit"]
    async with work.context(READER) as ctx:
        paths = await find_file_paths(ctx, folder, [draft.article_id for draft in drafts])
    outcomes = {item.detail.id: NOT_COMMITTED + NO_FILE.format(folder=inert(folder)) for item in due}
    drafts = [draft for draft in drafts if draft.article_id in paths]
    if drafts:
        committer = Committer(work, api, request, folder, drafts, paths)
        commit, sentences = await committer.commit()
        request, outcomes = replace(request, head=commit or request.head), outcomes | sentences
    entries = {item.entry.number: replace(item.entry, outcome=outcomes[item.detail.id]) for item in due}
    await work.store(work.pull, [entries.get(entry.number, entry) for entry in work.entries])
    return request


async def report_left_edits(work: HeldPull, request: PullRequest, state: ReviewState) -> bool:
    """Say in a comment on each draft that its edit is in git although it was dismissed; True if any is."""
    left = [
        item for item in state.drafts if item.is_left_in_git and item.entry.reported != item.entry.outcome
    ]
    if request.is_abandoned or not left:
        return False
    entries = {entry.number: entry for entry in work.entries}
    async with work.context(work.host_actor) as ctx, ctx.tx.transaction():
        for item in left:
            outcome = item.entry.outcome
            words = LEFT_COMMENT.format(url=work.pull.url, outcome=outcome, left=LEFT_IN_GIT)
            await add_comment(ctx, item.detail.id, body_from(CommentCreate, {"body": words}))
            entries[item.entry.number] = replace(item.entry, reported=outcome)
        await review_queries.store_review(ctx, work.pull, list(entries.values()))
    work.entries = list(entries.values())
    return True


@dataclass(frozen=True, slots=True)
class Committer:
    """Commits drafts of a pull request; `paths` has their files below the folder, by article id."""

    work: HeldPull
    api: HostApi
    request: PullRequest
    folder: str
    drafts: Sequence[DraftTexts]
    paths: Mapping[str, str]

    @property
    def form(self) -> GitHubCommits | GitLabCommits:
        return COMMITS[self.work.host.kind]

    async def commit(self) -> tuple[str | None, dict[str, str]]:
        """The new head of the pull request, if any, and what became of each draft, in words by draft id."""
        request, own_name = self.request, self.work.repository.name
        try:
            if request.source is not None:
                return await self.commit_inside(
                    HostBranch(request.source or own_name, request.source_branch, request.head)
                )
        except HostRefused:
            # The branch is protected, or the fork is closed to this token.
            pass
        try:
            return None, await self.commit_apart()
        except HostRefused as refusal:
            word = command_word(self.work.slug)
            reason = NO_CODE_ACCESS.format(host=self.work.host_name, status=refusal.status, word=word)
            return None, {draft.id: NOT_COMMITTED + reason for draft in self.drafts}

    async def commit_inside(self, branch: HostBranch) -> tuple[str | None, dict[str, str]]:
        outcome = await self.commit_to(branch)
        commit = outcome.commit
        if commit is None:
            return None, self.sentences(outcome, CONTAINED)
        if commit.parent == branch.head:
            async with self.work.context(READER) as ctx:
                await review_queries.follow_own_commit(ctx, self.work.change, commit.id)
        return commit.id, self.sentences(outcome, COMMITTED.format(commit=commit.id[:7]))

    async def commit_apart(self) -> dict[str, str]:
        """Commit to a branch of its own, with one pull request into the same base."""
        name, base = self.work.repository.name, self.request.branch
        branch_name = f"{SYNC_BRANCHES}{self.request.number}"
        head = await self.form.find_head(self.api, name, branch_name)
        if head is None:
            base_head = await self.form.find_head(self.api, name, base)
            branch = HostBranch(name, branch_name, base_head or self.request.head, base)
        else:
            branch = HostBranch(name, branch_name, head)
        outcome = await self.commit_to(branch)
        if outcome.commit is None and head is None:
            return self.sentences(outcome, CONTAINED)
        title, body = TITLE.format(number=self.request.number), BODY.format(url=self.request.url)
        url = await self.form.open_pull(self.api, branch, base, title, body)
        return self.sentences(outcome, COMMITTED_APART.format(url=url))

    async def commit_to(self, branch: HostBranch) -> BranchOutcome:
        """Add one commit with the edits to a branch; if it moves meanwhile, the job is repeated."""
        texts, refusals = await self.read_files(branch)
        drafts = [draft for draft in self.drafts if draft.id not in refusals]
        async with self.work.context(READER) as ctx:
            edits = await edit_files(ctx, self.folder, branch.head, texts, drafts)
        files = [
            FileEdit(self.path_in_repository(path), texts[path], text)
            for path, text in edits.texts.items()
            if text != texts[path]
        ]
        outcome = BranchOutcome(None, refusals | edits.refusals)
        if not files:
            return outcome
        try:
            return replace(outcome, commit=await self.form.commit_files(self.api, branch, files, MESSAGE))
        except HostRefused:
            head = await self.form.find_head(self.api, branch.repository, branch.base or branch.name)
            if head not in (None, branch.head):
                raise Postponed(limits.PULL_REVIEW_DELAY) from None
            raise

    async def read_files(self, branch: HostBranch) -> tuple[dict[str, str], dict[str, str]]:
        """The texts of the files at the head, by path, and the reasons why others have none, by draft id."""
        texts, refusals = dict[str, str](), dict[str, str]()
        host_form, name = FORMS[self.work.host.kind], self.work.repository.name
        for draft in self.drafts:
            path = self.paths[draft.article_id]
            # The commits of a fork can be read from the repository that gets the pull request.
            address = host_form.content_path(name, self.path_in_repository(path), branch.head)
            try:
                texts[path] = (await self.api.get(address, host_form.raw)).body.decode()
            except UnicodeDecodeError:
                refusals[draft.id] = NOT_UTF_8.format(path=path)
            except HostRefused as refusal:
                if refusal.status != 404:
                    raise
                refusals[draft.id] = NOT_THERE.format(path=path)
        return texts, refusals

    def path_in_repository(self, path: str) -> str:
        return path if self.folder == "." else f"{self.folder}/{path}"

    def sentences(self, outcome: BranchOutcome, sentence: str) -> dict[str, str]:
        reasons = {name: NOT_COMMITTED + inert(text) for name, text in outcome.refusals.items()}
        return {draft.id: reasons.get(draft.id, sentence) for draft in self.drafts}
