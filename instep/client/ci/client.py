"""A client of the REST API: it retries transient failures and explains all others."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from instep.client.ci.checkout import CodeChange
from instep.client.ci.credentials import Server
from instep.client.ci.retries import Patience, retry_after
from instep.client.ci.shapes import Bot, Bots, Draft, Out, Place, PlaceList, Task, TaskList, parse_shape
from instep.client.ci.transport import HttpResponse, Refused, Transport
from instep.platform.core import limits


class LimitReached(Refused):
    """The API key's rate limit asks for a longer wait than the retries last."""

    seconds = 0.0


class SentBefore(Refused):
    """An earlier run has sent this change, which was another one compared with the code of that time."""


class ResourceGone(Refused):
    """The server answers 404."""


REFUSALS: dict[int, type[Refused]] = {404: ResourceGone, 429: LimitReached}
REFUSALS_BY_CODE: dict[str, type[Refused]] = {"idempotency_mismatch": SentBefore}


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """The tokens that a language model took for each of the last tasks, on average."""

    model: str
    tasks: int
    tokens_per_task: int


@dataclass(frozen=True, slots=True)
class CreatedTask:
    """The task of a change, and whether an earlier run created it."""

    task: Task
    is_replay: bool


class Client:
    """Calls one server, and retries while it is busy."""

    def __init__(self, server: Server, patience: Patience | None = None) -> None:
        self.server, self.url, self.key = server, server.url, server.key
        self.patience = patience or Patience()
        self.transport = Transport(server.url)

    def choose_bot(self, reference: str | None) -> Bot:
        """The bot with this id or slug; without one the key's default, or the only bot that it covers."""
        bots = self.read(Bots, self.ask("GET", "/bots")).results
        for bot in bots:
            if bot.is_default if reference is None else reference in (bot.id, bot.slug):
                return bot
        if reference is None and len(bots) == 1:
            return bots[0]
        names = ", ".join(f"{bot.id} ({bot.slug or bot.name})" for bot in bots) or "none"
        if reference:
            raise Refused(f"The API key does not cover the bot {reference}; it covers: {names}.")
        raise Refused(f"Name the bot with --bot or INSTEP_BOT; the API key covers: {names}.")

    def create_task(self, bot: Bot, change: CodeChange, bundle: str | None = None) -> CreatedTask:
        """Send a change; repeated and concurrent calls return the same task.

        A change of a bundle is known by its commits alone; raises `SentBefore` if it had another diff then.
        """
        document = fields(change) | ({"bundle": bundle} if bundle else {})
        body = json.dumps({"change": document}, ensure_ascii=False).encode()
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key(bot, change, b"bundle" if bundle else body),
            "Service-Bot": bot.id,
        }
        response = self.ask("POST", "/tasks", body, headers)
        return CreatedTask(self.read(Task, response), "Idempotent-Replayed" in response.headers)

    def wait_for(self, task: Task, ends: float) -> Task:
        """Wait until the task has ended or the clock reaches `ends`, and return it."""
        pause = limits.MIN_POLL_SECONDS
        while not task.has_ended and self.patience.now() < ends:
            self.patience.sleep(max(0.0, min(pause, ends - self.patience.now())))
            task = self.read(Task, self.ask("GET", f"/tasks/{task.id}"))
            pause = min(pause * 1.5, limits.MAX_POLL_SECONDS)
        return task

    def get_draft(self, bot: Bot, draft_id: str) -> Draft:
        return self.read(Draft, self.ask("GET", f"/drafts/{draft_id}", None, {"Service-Bot": bot.id}))

    def list_places(self, bot: Bot, task: Task) -> list[Place]:
        """The first open places of a task, in the order of the API."""
        path = f"/places?task_id={task.id}&page_size={limits.MAX_REPORTED_PLACES}"
        return self.read(PlaceList, self.ask("GET", path, None, {"Service-Bot": bot.id})).results

    def estimate_tokens(self, bot: Bot) -> TokenEstimate | None:
        """The tokens and cost of the last tasks of a bot that asked a language model; None if no task did."""
        path = f"/tasks?page_size={limits.MAX_ESTIMATING_TASKS}"
        tasks = self.read(TaskList, self.ask("GET", path, None, {"Service-Bot": bot.id})).results
        uses = [task.model for task in tasks if task.model]
        if not uses:
            return None
        tokens = sum(use.input_tokens + use.output_tokens for use in uses)
        return TokenEstimate(uses[0].name, len(uses), tokens // len(uses))

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> HttpResponse:
        """Send a request, and retry it while the server is unreachable or busy; raises `Refused`."""
        response = self.send(method, path, body, headers or {})
        if response.status == 401 and self.server.renew is not None:
            # A job's key is valid for 15 minutes.
            self.key = self.server.renew()
            response = self.send(method, path, body, headers or {})
        return self.accept(response)

    def send(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> HttpResponse:
        with_key = {**headers, "Authorization": f"Bearer {self.key}"}
        address = f"{self.url}/v1{path}"
        return self.patience.retry(self.url, lambda: self.transport.send(method, address, body, with_key))

    def accept(self, response: HttpResponse) -> HttpResponse:
        if response.is_success:
            return response
        if response.is_redirect:
            raise Refused(
                f"{self.url} responds with a redirect: set INSTEP_URL to the address of Instep itself."
            )
        raise self.refusal(response)

    def refusal(self, response: HttpResponse) -> Refused:
        """The error with the sentence of the server, if the response has one."""
        try:
            document = response.json()
            sentence, code = document["error"], document.get("code")
        except (ValueError, TypeError, KeyError):
            return self.not_instep(response)
        if response.status == 401 and self.server.renew is None:
            # The server's message mentions a header, which users of the command don't write.
            sentence = "INSTEP_API_KEY is not a valid API key there: create one with `instep key create`."
        seconds = retry_after(response)
        wait = f" (for {seconds:.0f} seconds)" if seconds else ""
        kind = REFUSALS_BY_CODE.get(code) or REFUSALS.get(response.status, Refused)
        error = kind(f"{self.url} responds with {response.status}: {sentence}{wait}")
        if isinstance(error, LimitReached):
            error.seconds = seconds
        return error

    def not_instep(self, response: HttpResponse) -> Refused:
        return Refused(
            f"{self.url} responds with {response.status}, but is not an Instep server: check INSTEP_URL."
        )

    def read(self, shape: type[Out], response: HttpResponse) -> Out:
        try:
            return parse_shape(shape, response.json())
        except ValueError:
            raise self.not_instep(response) from None


def fields(change: CodeChange) -> dict[str, Any]:
    """The change as a request body, without empty optional fields."""
    optional_fields = {
        "url": change.url,
        "body": change.description,
        "context": change.context,
        "author": change.author,
        "labels": list(change.labels),
        "branch": change.branch,
    }
    set_fields = {name: value for name, value in optional_fields.items() if value}
    return {"kind": change.kind, "title": change.title, **set_fields, "diff": change.selection.diff}


def idempotency_key(bot: Bot, change: CodeChange, body: bytes) -> str:
    """A hash of bot, commits and body: another body has another key."""
    parts = [bot.id.encode(), change.base.encode(), change.head.encode(), body]
    return "change-" + hashlib.sha256(b"\0".join(parts)).hexdigest()
