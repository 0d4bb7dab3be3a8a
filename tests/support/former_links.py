"""Helpers for tests of redirects: create them, and follow them as a browser does."""

from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import Response, created

REDIRECTS = "/v1/redirects"
ELSEWHERE = "https://elsewhere.example/page"


async def redirect(client: Client, source: str, **target: str) -> Json:
    """Create a redirect; the default target is another site."""
    target = target or {"url": ELSEWHERE}
    return created(await client.post(REDIRECTS, json={"from": source, **target}))


def home(cast: Cast) -> str:
    return f"http://help.test/help/{cast.acme.slug}"


async def follow(api: Api, cast: Cast, path: str) -> tuple[int, str | None]:
    """The status and `Location` of a path in Acme's help center; a target there must be a page."""
    answer = await api(None).get(f"/help/{cast.acme.slug}{path}")
    location = answer.headers.get("Location")
    if location is not None and location.startswith("http://help.test/"):
        assert (await api(None).get(location)).status_code == 200, f"{path} leads to {location}"
    return answer.status_code, location


def sentence(answer: Response) -> str:
    text: str = answer.json()["error"]
    return text
