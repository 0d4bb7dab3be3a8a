"""The schemas of code hosts, repositories and their pull requests, none of which shows a secret."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Literal
from uuid import UUID

SEND_PULL_REQUEST = "send_pull_request"
CHECK_REPOSITORY = "check_repository"
RELEASE_DRAFTS = "release_drafts"
REVIEW_PULL = "review_pull"
RUN_PULL_COMMANDS = "run_pull_commands"

# The branches to which Instep commits if the branch of a pull request is closed to it.
SYNC_BRANCHES = "instep/pr-"
HostKind = Literal["github", "gitlab", "gitea", "bitbucket"]
# When a pull request is sent: as soon as it is opened, once someone has approved it, or once it is merged.
Moment = Literal["opened", "approved", "merged"]
ChangeStatus = Literal["waiting", "sent", "ignored", "unaffected", "failed"]
# The state of the last check of the articles against the code.
CheckStatus = Literal["waiting", "running", "checked", "failed"]
# The status on the head commit: none, one that blocks nothing, or one that fails until all is decided.
StatusMode = Literal["off", "neutral", "required"]


@dataclass(frozen=True, slots=True)
class CodeHost:
    """A row of `code_hosts`: its addresses and its encrypted credentials."""

    id: str
    workspace_id: str
    kind: HostKind
    url: str
    api_url: str
    app_slug: str | None
    sealed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class HostCredentials:
    """The secrets with which Instep authenticates to a code host, and the host signs its deliveries.

    Either `token` is set, or `app_id` and `private_key` (PEM) of a GitHub App.
    """

    secret: str = field(repr=False)
    token: str | None = field(default=None, repr=False)
    app_id: str | None = None
    private_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class RepositoryFields:
    """An owner's settings for a repository; without a branch, the default branch is used."""

    branch: str | None = None
    moment: Moment = "merged"
    paths: list[str] = field(default_factory=list)
    includes_bots: bool = False
    # Whether the drafts are shown and decided in a comment on the pull request.
    comments: bool = True
    status_mode: StatusMode = "neutral"
    # The synced folder of the repository whose approved edits are committed; None if they are not.
    docs_folder: str | None = None


@dataclass(frozen=True, slots=True)
class Repository(RepositoryFields):
    """A row of `repositories` with its code host."""

    id: str = ""
    bot_id: UUID | None = None
    code_host_id: str = ""
    kind: HostKind = "github"
    remote_id: str = ""
    name: str = ""
    default_branch: str = ""
    installation_id: int | None = None
    polled_until: datetime | None = None
    last_error: str | None = None
    check_status: CheckStatus = "waiting"
    # The progress of a check, or the reason it waits or failed, as a sentence.
    check_message: str | None = None
    # The last successful check: its commit, and the number of wrong statements.
    checked_commit: str | None = None
    checked_at: datetime | None = None
    wrong_statements: int = 0
    wrong_articles: int = 0
    # The reason why the last comment or status could not be written.
    review_error: str | None = None
    # True after the first delivery about a comment, so that people can decide there.
    hears_comments: bool = False
    # The branch patterns of the help center's product versions.
    version_branches: Sequence[str] = ()

    @property
    def is_being_checked(self) -> bool:
        return self.check_status in ("waiting", "running")

    @property
    def read_branch(self) -> str:
        return self.branch or self.default_branch

    def reads(self, branch: str) -> bool:
        """True if pull requests to a branch are sent: to the read one, or to one of a product version."""
        patterns = self.version_branches
        return branch == self.read_branch or any(fnmatchcase(branch, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class RemoteRepository:
    """A repository as its host describes it."""

    remote_id: str
    name: str
    default_branch: str


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as its host describes it; `branch` is the target branch."""

    number: int
    title: str
    body: str | None
    url: str
    branch: str
    head: str
    is_draft: bool
    is_open: bool
    is_merged: bool
    is_by_bot: bool
    updated_at: datetime | None = None
    # The commit that brought the changes to the branch.
    merge_commit: str | None = None
    labels: tuple[str, ...] = ()
    # The name at the host of the person who opened it; deliveries of GitLab do not contain it.
    author: str | None = None
    # The branch with the changes and its repository: "" is the same one, None a fork that is closed to us.
    source_branch: str = ""
    source: str | None = None

    @property
    def is_by_instep(self) -> bool:
        return self.source == "" and self.source_branch.startswith(SYNC_BRANCHES)

    @property
    def is_abandoned(self) -> bool:
        """True if it was closed without being merged."""
        return not self.is_open and not self.is_merged


@dataclass(frozen=True, slots=True)
class HostRelease:
    """A published release: its tag, and when it was published."""

    tag: str
    published_at: datetime


@dataclass(frozen=True, slots=True)
class ApprovedPull:
    """A pull request with drafts that are approved for its release, and the time of the last approval."""

    number: int
    url: str
    approved_at: datetime


@dataclass(frozen=True, slots=True)
class PullNotice:
    """A webhook delivery: its pull request, and whether the delivery is an approval."""

    repository: RemoteRepository
    pull_request: PullRequest
    is_approval: bool = False


@dataclass(frozen=True, slots=True)
class PullComment:
    """A new or edited comment on a pull request.

    `author` has written or edited it, `author_key` is what the host's API knows them by, and `sent_at` is
    when. `before` is the text before the edit; None for a new comment.
    """

    repository: RemoteRepository
    number: int
    id: str
    author: str
    author_key: str
    is_by_bot: bool
    text: str
    sent_at: datetime
    before: str | None = None


@dataclass(frozen=True, slots=True)
class WrittenComment:
    """A comment that Instep has written: its id and, by the host's clock, when."""

    id: str
    written_at: datetime


@dataclass(frozen=True, slots=True)
class PullStatus:
    """A status for the head commit: whether it is good, and whether it blocks while it is not."""

    context: str
    title: str
    url: str
    is_decided: bool
    is_required: bool


@dataclass(frozen=True, slots=True)
class ShownDraft:
    """A draft under its number in a comment: the digest of the proposal that readers see, and since when.

    The digest is empty if the comment does not show the whole proposal. `approved` is the digest of the
    proposal that someone approved on the pull request, `decided_by` the author of the last decision there,
    and `decided_as` their name at the code host. `outcome` says in Markdown what became of it in git, and
    `reported` is the one that a comment on the dismissed draft has reported.
    """

    number: int
    id: str
    digest: str = ""
    since: str = ""
    approved: str | None = None
    decided_by: str = ""
    decided_as: str = ""
    outcome: str = ""
    reported: str = ""


@dataclass(frozen=True, slots=True)
class ReviewedPull:
    """One row of `repository_pulls`: the comment and the status that Instep wrote to a pull request."""

    repository_id: str
    number: int
    url: str
    marker: str
    comment_id: str | None
    comment_digest: str | None
    status_digest: str | None
    entries: list[dict[str, Any]]

    @property
    def drafts(self) -> list[ShownDraft]:
        return [ShownDraft(**row) for row in self.entries]


@dataclass(frozen=True, slots=True)
class RepositoryChange:
    """A row of `repository_changes`: a pull request at one commit, and the result."""

    id: str
    repository_id: str
    number: int
    head: str
    title: str
    url: str
    is_approved: bool
    status: ChangeStatus
    message: str | None
    task_id: str | None
    created_at: datetime
    updated_at: datetime
