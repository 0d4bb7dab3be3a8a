"""axe-core in an isolated world: it sees the page, but neither the page nor its security policy sees it."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession, Page

SOURCE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# WCAG 2.2's rule about target sizes must be enabled explicitly.
OPTIONS = {
    "runOnly": TAGS,
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
    # The only frame holds a drawn diagram; it is sandboxed, so axe-core can neither enter nor message it.
    "iframes": False,
}


class Axe:
    """axe-core's rules, run on one page that stays open."""

    def __init__(self, devtools: CDPSession, world: int) -> None:
        self.devtools = devtools
        self.world = world

    @classmethod
    async def on(cls, page: Page) -> "Axe":
        devtools = await page.context.new_cdp_session(page)
        tree = await devtools.send("Page.getFrameTree")
        frame = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": "axe"}
        world = (await devtools.send("Page.createIsolatedWorld", frame))["executionContextId"]
        axe = cls(devtools, world)
        await axe.evaluate(source())
        return axe

    async def violations(self) -> list[str]:
        """Every violated rule, of any impact, with the elements that violate it."""
        results = await self.evaluate(f"axe.run(document, {json.dumps(OPTIONS)})")
        return [
            f"{rule['id']} ({rule['impact']}): {' '.join(map(str, node['target']))}: {node['html'][:120]}"
            for rule in results["violations"]
            for node in rule["nodes"]
        ]

    async def evaluate(self, script: str) -> Any:
        expression = {"expression": script, "contextId": self.world}
        answer = await self.devtools.send(
            "Runtime.evaluate", {**expression, "awaitPromise": True, "returnByValue": True}
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")


@cache
def source() -> str:
    # The script's own value can't be serialized.
    return SOURCE.read_text() + "\n;0"
