"""Checkboxes, commands, users and a merge decide a pull request's drafts at once: each gets one outcome."""

import random
from asyncio import gather
from collections.abc import Awaitable, Callable

import pytest

from instep.platform.core.database import Database, Tx
from instep.transfer.repositories.schemas import RepositoryFields
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changes import DIFF, get, publish
from tests.support.connected_repositories import LOOPBACK, Connected, connected
from tests.support.github_double import TOKEN, Delivery, GitHubDouble, github
from tests.support.http import all_pages
from tests.support.limits import SetSetting
from tests.support.pull_reviews import delivering, number_of

# Pull requests are tested one after another; this many drafts of each are decided at once.
DRAFTS = 5
JOBS_AT_ONCE = 3
# Replies and comment updates posted by Instep in all races of one pull request.
MAX_OWN_DELIVERIES = 100
pulls = pytest.mark.parametrize("count", [1, pytest.param(40, marks=pytest.mark.races)])

Act = Callable[[], Awaitable[None]]


class Race:
    """A draft and independent actions of several people on it."""

    def __init__(self, review: "Review", draft: Json, chance: random.Random) -> None:
        self.review, self.draft, self.title = review, draft, str(draft["title"])
        self.number = number_of(review.host, self.title)
        self.settled_by: list[str] = []
        self.words: str | None = None
        acts = [self.tick, self.stale_tick, self.apply_by_command, self.dismiss_by_command]
        acts += [self.apply, self.dismiss, self.edit]
        self.acts = chance.sample(acts, chance.randint(1, 3))

    @property
    def path(self) -> str:
        return f"/v1/drafts/{self.draft['id']}"

    async def tick(self) -> None:
        await self.review.post(self.review.host.click_box(self.number))

    async def stale_tick(self) -> None:
        """Tick a box in a comment text that Instep has replaced since."""
        head, heading, rest = self.review.text.partition(f"\n**{self.number}. ")
        ticked = rest.replace("- [ ] Apply", "- [x] Apply", 1)
        await self.review.post(self.review.host.edit(head + heading + ticked))

    async def apply_by_command(self) -> None:
        await self.review.comment(f"/instep apply {self.number}")

    async def dismiss_by_command(self) -> None:
        await self.review.comment(f"/instep dismiss {self.number} by command")

    async def apply(self) -> None:
        await self.settle("apply", {})

    async def dismiss(self) -> None:
        await self.settle("dismiss", {"reason": "later", "comment": "in Instep"})

    async def settle(self, verb: str, body: Json) -> None:
        answer = await self.review.client.post(f"{self.path}/{verb}", json=body)
        if answer.status_code == 200:
            self.settled_by.append(verb)
        else:
            assert answer.json()["code"] in ("draft_not_pending", "conflict"), answer.text

    async def edit(self) -> None:
        words = f"# {self.title}\n\nWords of a person about {self.title}.\n"
        answer = await self.review.client.patch(self.path, json={"contentMarkdown": words})
        if answer.status_code == 200:
            self.words = words
        else:
            assert answer.json()["code"] == "draft_not_pending", answer.text

    async def has_one_outcome(self) -> None:
        """The article has the draft's or its original text; each decision takes effect or gets a reply."""
        draft = await get(self.review.client, self.path.removeprefix("/v1/"))
        text = (await get(self.review.client, f"articles/{draft['articleId']}"))["contentMarkdown"]
        status, names = draft["status"], {act.__name__ for act in self.acts}
        assert text == (draft["contentMarkdown"] if status == "applied" else self.review.texts[self.title])
        assert draft["approvedAt"] is None or status != "pending"
        assert len(self.settled_by) <= 1
        if self.settled_by:
            assert status == {"apply": "applied", "dismiss": "dismissed"}[self.settled_by[0]]
        if self.words:
            assert draft["contentMarkdown"] == self.words
        if status == "dismissed":
            assert draft["dismissal"]["comment"] == ("in Instep" if self.settled_by else "by command")
        if status == "pending":
            # A person changed the proposal, or a second click unticked the box.
            assert self.words or "tick" in names, names
            assert not names & {"apply", "dismiss"} or self.words, names
        if "dismiss_by_command" in names and (self.settled_by or status != "dismissed"):
            assert any(f"raft {self.number} " in answer for answer in self.review.host.own_comments[1:])


class Review:
    """A pull request under review, and the jobs of several workers."""

    def __init__(self, client: Client, hook: Client, host: GitHubDouble, repository: Connected) -> None:
        self.client, self.hook, self.host, self.repository = client, hook, host, repository
        self.number = 0
        self.texts: dict[str, str] = {}
        # The comment's text before any decision.
        self.text = ""

    async def post(self, delivery: Delivery) -> None:
        headers = delivery.headers(self.repository.secret)
        answer = await self.hook.post(self.repository.hook_path, content=delivery.body, headers=headers)
        assert answer.status_code == 202, answer.text

    async def comment(self, text: str) -> None:
        await self.post(self.host.comment(text, number=self.number))

    async def merge(self) -> None:
        self.host.merge(self.number)
        await self.post(self.host.delivery("closed", self.number))

    async def work(self) -> None:
        for _ in range(JOBS_AT_ONCE):
            await self.repository.work()

    async def open(self, owner: Tx, number: int) -> list[Json]:
        """Open a pull request that makes articles wrong; return its drafts."""
        self.number, name = number, f"ROUND_{number}_TIMEOUT"
        await owner.execute("delete from rate_windows")
        self.host.comments.clear()
        self.host.own_ids.clear()
        self.texts = {f"Page {number} {at}": f"Set `{name}`, {at}.\n" for at in range(DRAFTS)}
        for title, text in self.texts.items():
            await publish(self.client, title, text)
        self.host.open(number, DIFF.replace("ACME_TIMEOUT", name))
        deliver = delivering(self.hook, owner, self.host, self.repository)
        await deliver(self.host.delivery("opened", number))
        self.text = self.host.own_comments[0]
        drafts = await all_pages(self.client, "/v1/drafts?status=pending")
        return [draft for draft in drafts if draft["title"] in self.texts]


@pulls
async def test_each_draft_of_a_pull_request_has_one_outcome(
    api: Api,
    client: Client,
    database: Database,
    cast: Cast,
    owner: Tx,
    set_setting: SetSetting,
    count: int,
) -> None:
    set_setting(*LOOPBACK)
    fields = RepositoryFields(moment="opened")
    with github() as host:
        async with connected(database, cast.acme, "github", host.url, TOKEN, fields=fields) as repository:
            review = Review(client, api(None), host, repository)
            for seed in range(count):
                chance = random.Random(seed)
                drafts = await review.open(owner, seed + 1)
                assert len(drafts) == DRAFTS
                races = [Race(review, draft, chance) for draft in drafts]
                acts: list[Act] = [act for race in races for act in race.acts]
                acts += [review.merge, *[review.work] * JOBS_AT_ONCE]
                chance.shuffle(acts)
                await gather(*(act() for act in acts))
                deliver = delivering(review.hook, owner, host, repository, MAX_OWN_DELIVERIES)
                await deliver(host.delivery("closed", review.number))
                await deliver(host.delivery("closed", review.number))
                for race in races:
                    await race.has_one_outcome()
