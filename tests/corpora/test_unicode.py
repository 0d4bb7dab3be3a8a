"""Odd texts in every field, path and parameter of the API: stored unchanged and read back, or refused."""

from pathlib import Path

import pytest

from instep.platform.text.characters import shows_something
from tests.corpora.places import (
    ABSENT,
    WITH_BODY,
    FieldPath,
    body_with,
    in_turn,
    is_allowed,
    text_fields,
    text_places,
    value_at,
)
from tests.corpora.requests import Sender
from tests.corpora.texts import odd_texts, samples
from tests.support.api_table import Operation
from tests.support.cast import Json, RunJobs
from tests.support.http import Response, all_pages, body_of, ok

pytestmark = pytest.mark.corpora

# Fields that may refuse values for reasons that the description can't express.
KNOWN_TO_REFUSE = {
    "slug": "which letters are small is beyond the patterns of JSON Schema",
    "locale": "only one text of an article per language",
    "collectionId": "it names a collection",
    "parentId": "it names a collection",
    "translationOf": "it names an article",
    "versionOf": "it names an article",
    "botId": "it names a bot",
    "owner": "it names a member",
    "sinceVersion": "it names a version of the product",
    "untilVersion": "it names a version of the product",
    "url": "hosts of webhooks must be public",
    "diff": "a grammar of its own",
}
NEVER_SHOWN = {"diff", "body", "onConflict", "author", "branch", "context", "labels"}
# Language tags are normalized; a parent collection may be given by slug and is returned by id.
SPELLED_ANEW = {"locale", "parentId"}
# A text without visible characters counts as empty.
CLEARED = {"description", "icon", "sourceUrl", "url"}

# These values are names, targets or search terms, or comments, and can't be read back by id.
NOT_BY_ID = (
    *("/synonyms", "/releases", "/sync", "/redirects", "/articles/{published}/split", "/articles/translate"),
    *("/comments", "/comments/{comment}", "/review-settings", "/style", "/api-references"),
    # A second object needs another name, and the text is in another field.
    *("/parts", "/product-versions"),
)
# The findings become separate drafts and places.
STORED_ELSEWHERE = ("/drift/checks",)

each = pytest.mark.parametrize(
    "operation",
    [row for row in WITH_BODY if row.path not in NOT_BY_ID + STORED_ELSEWHERE],
    ids=lambda row: f"{row.method} {row.path}",
)


@each
async def test_a_text_in_a_field_is_read_back_as_it_was_or_refused(
    corpora: Path, sender: Sender, operation: Operation
) -> None:
    count = 0
    for path in text_fields(operation):
        for text in odd_texts(corpora):
            body = body_with(operation, path, text)
            answer = await sender.send(operation, json=body)
            name = str(path[-1] or path[0])
            if answer.is_success:
                count += await is_kept(sender, operation, answer, path, text)
            elif is_allowed(operation, body) and name not in KNOWN_TO_REFUSE and shows_something(text):
                sender.fault(f"{operation} refuses {path} {text!r}: {answer.text}")
            if answer.is_success and not is_allowed(operation, body):
                sender.fault(f"{operation} takes {path} {text!r}")

    assert count > 100


@pytest.mark.parametrize(
    "operation", [row for row in WITH_BODY if row.path in NOT_BY_ID], ids=lambda row: row.path
)
async def test_texts_that_can_not_be_read_back_get_answers_that_are_described(
    corpora: Path, sender: Sender, operation: Operation
) -> None:
    for path in text_fields(operation):
        # Files in a folder are parsed as in imports, which have their own tests.
        if len(path) == 1 or operation.path != "/sync":
            for text in odd_texts(corpora):
                await sender.send(operation, json=body_with(operation, path, text))

    assert sender.faults == []


@pytest.mark.parametrize("name", text_places())
async def test_texts_in_paths_and_parameters_get_answers_that_are_described(
    corpora: Path, sender: Sender, name: str
) -> None:
    for place, text in in_turn(text_places()[name], odd_texts(corpora)):
        await sender.send_at(place, text)

    assert sender.faults == []


async def test_tasks_of_odd_texts_end(corpora: Path, sender: Sender, run_jobs: RunJobs) -> None:
    for text in odd_texts(corpora):
        title = text.strip()[:200] if shows_something(text.strip()[:200]) else "Title"
        change = {"kind": "pr", "title": title, "body": text, "diff": as_diff(text)}
        for body in ({"change": change}, {"article": {"title": title, "instructions": text}}):
            answer = await sender.client.post("/v1/tasks", json=body)
            assert answer.status_code == 202, answer.text

    await run_jobs()

    tasks = await all_pages(sender.client, "/v1/tasks", page_size=100)
    assert {task["status"] for task in tasks} == {"completed"}, [t for t in tasks if t["error"]][:3]


async def test_changes_of_deceiving_code_end(corpora: Path, sender: Sender, run_jobs: RunJobs) -> None:
    for name, code in samples(corpora):
        change = {"kind": "pr", "title": name, "diff": as_diff(code)}
        answer = await sender.client.post("/v1/tasks", json={"change": change})
        assert answer.status_code == 202, answer.text

    await run_jobs()

    tasks = await all_pages(sender.client, "/v1/tasks")
    assert {task["status"] for task in tasks} == {"completed"}


async def is_kept(sender: Sender, operation: Operation, answer: Response, path: FieldPath, text: str) -> bool:
    """True if the field is readable; then the response and a later read must both contain the text."""
    bodies = [body_of(answer), ok(await sender.client.get(address_of(operation, body_of(answer))))]
    values = [value for body in bodies if (value := value_at(body, path)) is not ABSENT]
    if path[-1] in SPELLED_ANEW or not NEVER_SHOWN.isdisjoint(path):
        return False
    expected = {text, None, ""} if path[-1] in CLEARED and not shows_something(text) else {text}
    if not values or not expected.issuperset(values):
        sender.fault(f"{operation} shows {values!r} at {path} for {text!r}")
    return True


def address_of(operation: Operation, body: Json) -> str:
    """The address of the object that the operation created or changed."""
    if operation.path.endswith("/apply"):
        return f"/v1/articles/{body['articleId']}"
    first, *others = operation.template.split("/{id}")
    return f"/v1{others[-1] if others and others[-1] else first}/{body['id']}"


def as_diff(text: str) -> str:
    """A diff that adds a new file with this text."""
    lines = text.removesuffix("\n").split("\n")
    header = ["--- /dev/null", "+++ b/new.py", f"@@ -0,0 +1,{len(lines)} @@"]
    return "\n".join([*header, *(f"+{line}" for line in lines), ""])
