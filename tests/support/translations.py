"""An article with a translation, and helpers for tests of translations."""

import json
import re
from collections.abc import Callable

from instep.platform.core.database import Database, Tx
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.llm.protocol import Completion, Model, OnText, Prompt
from instep.runtime import worker_of
from tests.support.cast import Client, Json
from tests.support.http import create_article, ok

ROOT = """\
# Exports

An export has all articles of `acme`.

- Choose [Export](https://acme.test/export).
- Wait 5 minutes.

```sh
acme export --all
```
"""
GERMAN = """\
# Exporte

Ein Export enthält  alle Artikel von `acme`.

* Wählen Sie [Exportieren](https://acme.test/export).
* Warten Sie 5 Minuten.

```sh
acme export --all
```
"""
WAIT, WAIT_LONGER = "Wait 5 minutes.", "Wait 10 minutes."
GERMAN_WAIT, GERMAN_WAIT_LONGER = "Warten Sie 5 Minuten.", "Warten Sie 10 Minuten."
BLOCK = re.compile(r"===== BEGIN block (-?\d+) \w+ =====\n(.*?)\n===== END block", re.DOTALL)


class BlockTranslator:
    """A model that translates each block with `translate`."""

    name = "scripted"

    def __init__(self, translate: Callable[[str], str]) -> None:
        self.translate = translate
        self.prompts: list[Prompt] = []

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        self.prompts.append(prompt)
        blocks = [
            {"number": int(number), "text": self.translate(text)}
            for number, text in BLOCK.findall(prompt.user)
        ]
        return Completion(json.dumps({"blocks": blocks}), 700, 50)


def saying(translations: dict[str, str], otherwise: str | None = None) -> BlockTranslator:
    """A model with these translations; other texts become `otherwise`, or get a prefix by default."""
    default = "Deutsch: {}" if otherwise is None else otherwise.replace("{", "{{").replace("}", "}}")
    return BlockTranslator(lambda text: translations.get(text, default.format(text)))


async def publish_pair(client: Client, root: str = ROOT, german: str = GERMAN) -> tuple[Json, Json]:
    """Publish an article in English and its translation into German."""
    article = await create_article(client, "Exports", contentMarkdown=root)
    ok(await client.post(f"/v1/articles/{article['id']}/publish"))
    translation = await create_article(
        client, "Exporte", contentMarkdown=german, translationOf=article["id"], locale="de"
    )
    ok(await client.post(f"/v1/articles/{translation['id']}/publish"))
    return article, translation


async def change_root(client: Client, root: Json, old: str, new: str) -> Json:
    present = ok(await client.get(f"/v1/articles/{root['id']}"))
    changed = present["contentMarkdown"].replace(old, new)
    assert changed != present["contentMarkdown"]
    return ok(await client.patch(f"/v1/articles/{root['id']}", json={"contentMarkdown": changed}))


async def run_translations(database: Database, model: Model | None = None) -> None:
    """Run the jobs that are due."""
    await worker_of(database, OutboundClient(AllowList()), model).run_due()


async def follow(database: Database, owner: Tx, model: BlockTranslator | None = None) -> None:
    """Let the delay pass after which translations are compared, then run the jobs that are due."""
    await owner.execute("update jobs set run_at = now() where kind = 'follow_translations'")
    await worker_of(database, OutboundClient(AllowList()), model).run_due()


async def is_outdated(client: Client, root: Json) -> bool:
    [row] = ok(await client.get(f"/v1/articles/{root['id']}"))["translations"]
    outdated: bool = row["outdated"]
    return outdated
