"""Requests to the server: with patience, for a single task, and with a key that no other host sees."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from instep.client.ci.checkout import CodeChange
from instep.client.ci.client import Client, CreatedTask, LimitReached
from instep.client.ci.credentials import Server, read_server
from instep.client.ci.diff import FileDiff, Selection
from instep.client.ci.retries import Patience
from instep.client.ci.shapes import Bot
from instep.client.ci.transport import Refused
from instep.platform.core import limits
from tests.support.ci_servers import BOT, TASK, Reply, Stand, standing
from tests.support.installation import free_port

KEY = "isk_a-secret-of-the-tests"
ENVIRONMENT = {"INSTEP_URL": "https://help.test", "INSTEP_API_KEY": KEY}
ENDED = Reply(200, TASK | {"status": "completed", "outcome": "no_changes"})


def changed(text: str = "+a\n", **fields: Any) -> CodeChange:
    selection = Selection()
    selection.keep(FileDiff("a.py", 0, text, "code", len(text)))
    plain = CodeChange("pr", "Größe", "https://git.test/7", "Why.", "b" * 40, "a" * 40, selection)
    return replace(plain, **fields)


@dataclass
class Clock:
    """Time passes only during sleeps."""

    at: float = 1_000.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def client(stand: Stand | str, clock: Clock) -> Client:
    patience = Patience(now=clock.now, sleep=clock.sleep)
    return Client(Server(stand if isinstance(stand, str) else stand.url, KEY), patience)


def create(stand: Stand | str, clock: Clock, change: CodeChange | None = None) -> CreatedTask:
    return client(stand, clock).create_task(Bot(**BOT), change or changed())


def test_the_change_is_sent_as_the_api_takes_it(clock: Clock) -> None:
    with standing() as stand:
        task = create(stand, clock)

    [request] = stand.requests
    assert (task.task.id, task.is_replay) == ("task_1", False)
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["service-bot"] == BOT["id"]
    assert json.loads(request.body) == {
        "change": {
            "kind": "pr",
            "title": "Größe",
            "url": "https://git.test/7",
            "body": "Why.",
            "diff": "+a\n",
        }
    }


def test_unknown_values_are_left_out(clock: Clock) -> None:
    with standing() as stand:
        create(stand, clock, changed(url=None, description=None))

    assert set(json.loads(stand.requests[0].body)["change"]) == {"kind", "title", "diff"}


def test_the_idempotency_key_tells_runs_apart_by_what_they_send(clock: Clock) -> None:
    others = [
        changed(),
        changed("+b\n"),
        changed(title="Other"),
        changed(url=None),
        changed(description=None),
        changed(kind="commit"),
        changed(base="c" * 40),
        changed(head="c" * 40),
    ]
    with standing() as stand:
        for change in (changed(), *others):
            create(stand, clock, change)

    keys = [request.headers["idempotency-key"] for request in stand.requests]
    assert keys[0] == keys[1]
    assert len(set(keys)) == len(others)
    assert all(
        len(key) <= limits.MAX_IDEMPOTENCY_KEY_CHARACTERS and key.isascii() and key.isprintable()
        for key in keys
    )


def test_two_bots_have_two_tasks(clock: Clock) -> None:
    with standing() as stand:
        opened = client(stand, clock)
        opened.create_task(Bot(**BOT), changed())
        opened.create_task(Bot(id="other", name="Other"), changed())

    first, second = [request.headers["idempotency-key"] for request in stand.requests]
    assert first != second


def test_a_replay_is_seen(clock: Clock) -> None:
    with standing(create=[Reply(202, TASK, {"Idempotent-Replayed": "true"})]) as stand:
        assert create(stand, clock).is_replay


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(clock: Clock, status: int) -> None:
    busy = Reply(status, {"error": "Busy.", "code": "x"})
    with standing(create=[busy, busy, busy, Reply(202, TASK)]) as stand:
        assert create(stand, clock).task.id == "task_1"

    assert clock.slept == [1, 2, 4]
    assert len({request.headers["idempotency-key"] for request in stand.requests}) == 1


def test_client_waits_as_long_as_the_server_asks(clock: Clock) -> None:
    with standing(create=[Reply(429, {}, {"Retry-After": "37"}), Reply(202, TASK)]) as stand:
        create(stand, clock)

    assert clock.slept == [37]


@pytest.mark.parametrize("retry_after", ["", "soon", "-5", "Wed, 21 Oct 2026 07:28:00 GMT", "9" * 400, "٣"])
def test_invalid_retry_after_is_ignored(clock: Clock, retry_after: str) -> None:
    header = {"Retry-After": retry_after.encode().decode("latin-1")}
    with standing(create=[Reply(503, {}, header), Reply(202, TASK)]) as stand:
        create(stand, clock)

    assert clock.slept == [1]


def test_client_does_not_wait_for_an_hour_of_rate_limit(clock: Clock) -> None:
    full = Reply(429, {"error": "All tasks are used up.", "code": "rate_limited"}, {"Retry-After": "1800"})
    with standing(create=[full]) as stand, pytest.raises(LimitReached) as refusal:
        create(stand, clock)

    assert (
        refusal.value.message == f"{stand.url} responds with 429: All tasks are used up. (for 1800 seconds)"
    )
    assert clock.slept == []


def test_patience_ends(clock: Clock) -> None:
    later = Reply(503, {"error": "Later.", "code": "x"})
    with standing(create=[later]) as stand, pytest.raises(Refused, match=r"responds with 503: Later\."):
        create(stand, clock)

    assert clock.slept == [1, 2, 4, 8, 15, 15, 15, 15, 15]
    assert sum(clock.slept) <= limits.API_RETRY_SECONDS


def test_a_server_that_is_down_is_tried_again_and_then_named(clock: Clock) -> None:
    url = f"http://127.0.0.1:{free_port()}"

    with pytest.raises(Refused, match=f"{url} can't be reached: ") as refusal:
        create(url, clock)

    assert len(clock.slept) > 5
    assert KEY not in refusal.value.message


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (
            401,
            {"error": "Bad.", "code": "unauthorized"},
            "401: INSTEP_API_KEY",
        ),
        (402, {"error": "Paused.", "code": "plan_inactive"}, "responds with 402: Paused."),
        (403, {"error": "A read key.", "code": "insufficient_scope"}, "responds with 403: A read key."),
        (400, {"error": "Bad.", "code": "invalid_request"}, "responds with 400: Bad."),
        (500, {"error": "Broken.", "code": "internal_error"}, "responds with 500: Broken."),
        (404, {"detail": "Not Found"}, "404, but"),
        (404, [], "404, but"),
        (200, {"results": "x"}, "200, but"),
        (200, TASK | {"status": "resting"}, "200, but"),
    ],
)
def test_a_refusal_is_told_at_once_in_the_servers_words(
    clock: Clock, status: int, body: Any, sentence: str
) -> None:
    with standing(create=[Reply(status, body)]) as stand, pytest.raises(Refused) as refusal:
        create(stand, clock)

    assert sentence in refusal.value.message
    assert KEY not in refusal.value.message
    assert clock.slept == []


@pytest.mark.parametrize("text", ["", "<html>Sign in</html>", "{", "[" * 100_000, '{"error": "\\ud800"'])
@pytest.mark.parametrize("status", [200, 403])
def test_responses_that_are_not_from_instep_are_reported_as_such(
    clock: Clock, status: int, text: str
) -> None:
    with standing(create=[Reply(status, text=text)]) as stand, pytest.raises(Refused) as refusal:
        create(stand, clock)

    assert f"{status}, but" in refusal.value.message


def test_a_redirect_is_not_followed_and_nobody_else_sees_the_key(clock: Clock) -> None:
    with standing() as other:
        for status in (301, 302, 303, 307, 308):
            away = Reply(status, {}, {"Location": f"{other.url}/v1/tasks"})
            with standing(create=[away]) as stand, pytest.raises(Refused, match="responds with a redirect"):
                create(stand, clock)

    assert other.requests == []


def test_the_proxy_of_the_ci_is_used(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    with standing() as proxy:
        proxy.replies["POST http://help.test/v1/tasks"] = [Reply(202, TASK)]
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert create("http://help.test", clock).task.id == "task_1"

    assert proxy.lines == ["POST http://help.test/v1/tasks"]


def test_a_host_that_needs_no_proxy_is_asked_directly(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    with standing() as stand:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert create(stand, clock).task.id == "task_1"


@pytest.mark.parametrize(
    "proxy", ["ftp://user:hunter2@proxy.test", "socks5://user:hunter2@proxy.test", "http://[::1"]
)
def test_a_proxy_that_cant_be_used_is_refused_without_its_password(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)

    with pytest.raises(Refused, match="HTTPS_PROXY") as refusal:
        create("https://help.test", clock)

    assert "hunter2" not in refusal.value.message


def test_client_polls_with_growing_pauses_until_the_task_has_ended(clock: Clock) -> None:
    with standing(poll=[Reply(200, TASK)] * 9 + [ENDED]) as stand:
        opened = client(stand, clock)
        ended = opened.wait_for(opened.create_task(Bot(**BOT), changed()).task, clock.now() + 300)

    assert ended.has_ended
    assert clock.slept == sorted(clock.slept)
    assert (clock.slept[0], clock.slept[-1]) == (limits.MIN_POLL_SECONDS, limits.MAX_POLL_SECONDS)
    assert len(clock.slept) == 10


def test_a_task_that_has_ended_already_is_not_asked_for(clock: Clock) -> None:
    with standing(create=[replace(ENDED, status=202)]) as stand:
        opened = client(stand, clock)
        opened.wait_for(opened.create_task(Bot(**BOT), changed()).task, clock.now() + 300)

    assert stand.lines == ["POST /v1/tasks"]
    assert clock.slept == []


def test_when_the_time_is_up_the_task_is_given_as_it_is(clock: Clock) -> None:
    began = clock.now()
    with standing(poll=[Reply(200, TASK | {"status": "running"})]) as stand:
        opened = client(stand, clock)
        task = opened.wait_for(opened.create_task(Bot(**BOT), changed()).task, began + 20)

    assert task.status == "running"
    assert clock.now() == pytest.approx(began + 20)


def test_a_server_that_starts_again_while_it_waits_is_outlived(clock: Clock) -> None:
    poll = [Reply(503, {"error": "Later.", "code": "x"}), Reply(502, text="<html>"), ENDED]
    with standing(poll=poll) as stand:
        opened = client(stand, clock)
        assert opened.wait_for(opened.create_task(Bot(**BOT), changed()).task, clock.now() + 60).has_ended


def test_the_only_bot_need_not_be_named(clock: Clock) -> None:
    with standing() as stand:
        opened = client(stand, clock)
        assert opened.choose_bot(None).id == BOT["id"]


def test_bot_must_be_named_if_there_are_several(clock: Clock) -> None:
    both = Reply(200, {"results": [BOT, {"id": "other", "name": "Other"}]})
    with standing(bots=[both]) as stand:
        opened = client(stand, clock)
        assert opened.choose_bot("other").name == "Other"
        with pytest.raises(Refused, match=r"INSTEP_BOT.*other \(Other\)"):
            opened.choose_bot(None)
        with pytest.raises(Refused, match="bot third"):
            opened.choose_bot("third")


def test_a_bot_may_be_named_by_its_slug_and_a_default_need_not_be_named(clock: Clock) -> None:
    bots = [
        BOT | {"slug": "acme", "isDefault": False},
        {"id": "other", "name": "Other", "slug": "other-help", "isDefault": True},
    ]
    with standing(bots=[Reply(200, {"results": bots})]) as stand:
        opened = client(stand, clock)
        assert opened.choose_bot("acme").id == BOT["id"]
        assert opened.choose_bot(None).id == "other"
        with pytest.raises(Refused, match=r"third.*\(acme\), other \(other-help\)"):
            opened.choose_bot("third")


@pytest.mark.parametrize(
    "url",
    [
        "https://help.test",
        "https://help.test/",
        "https://help.test/v1",
        " https://help.test/v1/\n",
    ],
)
def test_the_address_is_that_of_the_service_or_of_its_api(url: str) -> None:
    assert read_server(ENVIRONMENT | {"INSTEP_URL": url}) == Server("https://help.test", KEY)


@pytest.mark.parametrize("url", ["http://instep_server:8000", "http://[::1]:8000", "https://help.test/docs"])
def test_addresses_of_inner_networks_and_below_paths_are_taken(url: str) -> None:
    assert read_server(ENVIRONMENT | {"INSTEP_URL": url}).url == url


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"INSTEP_URL": ""}, "INSTEP_URL is not set"),
        (
            {"INSTEP_API_KEY": " \n"},
            "API_KEY is not set",
        ),
        ({"INSTEP_API_KEY": "isk_a b"}, "a valid API"),
        ({"INSTEP_API_KEY": "isk_ü"}, "a valid API"),
        *(
            ({"INSTEP_URL": url}, "INSTEP_URL must be")
            for url in (
                "help.test",
                "ftp://help.test",
                "https://",
                "https://hunter2:hunter2@help.test",
                "https://help.test?a=hunter2",
                "https://help.test#a",
                "https://[::1",
                "https://help.test/\x1b[0m",
                "file:///etc/passwd",
            )
        ),
    ],
)
def test_settings_that_cant_be_used_are_refused(settings: dict[str, str], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence) as refusal:
        read_server(ENVIRONMENT | settings)

    assert "hunter2" not in refusal.value.message
    assert KEY not in refusal.value.message
