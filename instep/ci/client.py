"""The REST API of a server elsewhere: patient with what passes, plain about what does not."""

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2
from pydantic import ValidationError

from instep.ci.checkout import CodeChange
from instep.ci.shapes import Bot, Bots, Draft, Shape, Task
from instep.core import limits
from instep.core.errors import AppError

Answer = TypeVar("Answer", bound=Shape)
VISIBLE = re.compile(r"[\x21-\x7e]+")
# Of a server, or a proxy before it, that starts again or has too much to do.
BUSY = {429, 502, 503, 504}
NEEDED = {
    "INSTEP_URL": "the address of the server",
    "INSTEP_API_KEY": "an API key of the server",
}


class Refused(AppError):
    """The server does not take it, or can't be reached."""


class LimitReached(Refused):
    """The server asks this API key to wait for longer than a job does."""


class ResourceGone(Refused):
    """The server says that there is no such thing."""


REFUSALS: dict[int, type[Refused]] = {404: ResourceGone, 429: LimitReached}


@dataclass(frozen=True, slots=True)
class Server:
    """Where to send to, and the key that is shown to nobody else."""

    url: str
    key: str


@dataclass(frozen=True, slots=True)
class Sent:
    """The task of a change, and whether an earlier run has made it."""

    task: Task
    is_replay: bool


def read_server(environ: Mapping[str, str]) -> Server:
    url = environ.get("INSTEP_URL", "").strip().rstrip("/").removesuffix("/v1")
    key = environ.get("INSTEP_API_KEY", "").strip()
    if not url or not key:
        missing = "INSTEP_API_KEY" if url else "INSTEP_URL"
        raise Refused(
            f"{missing} is not set: it takes {NEEDED[missing]}. Secrets of CI are often not there for changes"
            " from forks."
        )
    if not is_address(url):
        raise Refused("INSTEP_URL must be an address such as https://help.example.com, without user name.")
    if not VISIBLE.fullmatch(key):
        raise Refused("INSTEP_API_KEY is no API key: it holds blanks or characters that no key has.")
    return Server(url, key)


def is_address(text: str) -> bool:
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL:
        return False
    has_more = url.userinfo or url.query or url.fragment or not text.isprintable()
    return url.scheme in ("http", "https") and bool(url.host) and not has_more


class Client:
    """Calls one server; a context manager. `now` and `sleep` are a clock's."""

    def __init__(
        self,
        server: Server,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        patience_seconds: float = limits.API_RETRY_SECONDS,
    ) -> None:
        self.url, self.now, self.sleep = server.url, now, sleep
        self.patience_seconds = patience_seconds
        headers = {"Authorization": f"Bearer {server.key}", "User-Agent": "instep"}
        try:
            # Redirects are not followed: the key is for this server alone.
            self.http = httpx2.Client(
                headers=headers, timeout=limits.API_CALL_SECONDS, follow_redirects=False
            )
        except (ValueError, ImportError, httpx2.InvalidURL):
            raise Refused("The proxy of HTTP_PROXY, HTTPS_PROXY or ALL_PROXY can't be used.") from None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.http.close()

    def choose_bot(self, reference: str | None) -> Bot:
        """The bot that has this id or slug; without one the key's default, or the only one that it covers."""
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

    def create_task(self, bot: Bot, change: CodeChange) -> Sent:
        """Send a change; however often and at once it is sent, it becomes one task."""
        body = json.dumps({"change": fields(change)}, ensure_ascii=False).encode()
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key(bot, change, body),
            "Service-Bot": bot.id,
        }
        answer = self.ask("POST", "/tasks", body, headers)
        return Sent(self.read(Task, answer), "Idempotent-Replayed" in answer.headers)

    def wait_for(self, task: Task, ends: float) -> Task:
        """The task once it has ended, or as it is when the time is up."""
        pause = limits.MIN_POLL_SECONDS
        while not task.has_ended and self.now() < ends:
            self.sleep(max(0.0, min(pause, ends - self.now())))
            task = self.read(Task, self.ask("GET", f"/tasks/{task.id}"))
            pause = min(pause * 1.5, limits.MAX_POLL_SECONDS)
        return task

    def get_draft(self, bot: Bot, draft_id: str) -> Draft:
        return self.read(Draft, self.ask("GET", f"/drafts/{draft_id}", None, {"Service-Bot": bot.id}))

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        """The answer to a request, repeated while the server can't be reached or is busy."""
        ends = self.now() + self.patience_seconds
        for pause in pauses():
            try:
                answer = self.http.request(method, f"{self.url}/v1{path}", content=body, headers=headers)
            except httpx2.RequestError as error:
                refusal, wait = self.out_of_reach(error), pause
            else:
                if answer.status_code not in BUSY:
                    return self.accept(answer)
                refusal, wait = self.refusal(answer), max(pause, seconds_asked(answer))
            if self.now() + wait > ends:
                raise refusal
            self.sleep(wait)
        raise AssertionError("pauses have no end")

    def out_of_reach(self, error: Exception) -> Refused:
        return Refused(f"{self.url} can't be reached: {error or type(error).__name__}")

    def accept(self, answer: httpx2.Response) -> httpx2.Response:
        if answer.is_success:
            return answer
        if answer.is_redirect:
            raise Refused(f"{self.url} sends callers elsewhere: set INSTEP_URL to where Instep is.")
        raise self.refusal(answer)

    def refusal(self, answer: httpx2.Response) -> Refused:
        """In the server's own words, where it has any."""
        try:
            words = answer.json()["error"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return self.not_instep(answer)
        asked = seconds_asked(answer)
        wait = f" (for {asked:.0f} seconds)" if asked else ""
        kind = REFUSALS.get(answer.status_code, Refused)
        return kind(f"{self.url} answers {answer.status_code}: {words}{wait}")

    def not_instep(self, answer: httpx2.Response) -> Refused:
        told = f"{self.url} answers {answer.status_code}, but not as Instep does"
        return Refused(f"{told}: see whether INSTEP_URL is right.")

    def read(self, shape: type[Answer], answer: httpx2.Response) -> Answer:
        try:
            return shape.model_validate_json(answer.content)
        except ValidationError:
            raise self.not_instep(answer) from None


def fields(change: CodeChange) -> dict[str, Any]:
    """The change as the API takes it: what is not known is left out."""
    known = {"url": change.url, "body": change.description}
    told = {name: value for name, value in known.items() if value}
    return {"kind": change.kind, "title": change.title, **told, "diff": change.selection.diff}


def idempotency_key(bot: Bot, change: CodeChange, body: bytes) -> str:
    """The same for the same commits told in the same words, so that no key ever meets another body."""
    parts = [bot.id.encode(), change.base.encode(), change.head.encode(), body]
    return "change-" + hashlib.sha256(b"\0".join(parts)).hexdigest()


def pauses() -> Iterator[float]:
    pause = 1.0
    while True:
        yield pause
        pause = min(pause * 2, limits.MAX_API_RETRY_PAUSE_SECONDS)


def seconds_asked(answer: httpx2.Response) -> float:
    """As `Retry-After` asks in seconds; dates are for browsers."""
    asked = answer.headers.get("Retry-After", "")
    return float(asked) if re.fullmatch(r"[0-9]{1,9}", asked) else 0.0
