"""An export imported into an empty help center is exported as the same bytes (`make test-exchange`)."""

from pathlib import Path

import pytest

from tests.support.exported_library import unpacked
from tests.support.file_samples import picture
from tests.support.installation import Installation, installed

pytestmark = pytest.mark.exchange
LOCALES = ("de", "fr")


def fill(installation: Installation, key: str, articles: int, files: int) -> None:
    """Articles in nested collections and three languages, with pictures, links and redirects."""
    installation.key = key
    client = installation.client()
    collections: list[str] = []
    for number in range(9):
        parent = {"parentId": collections[number - 3]} if number >= 3 else {}
        body = {"title": f"Part {number}: & more", "icon": "🧭", **parent}
        collections.append(client.post("/v1/collections", json=body).raise_for_status().json()["id"])
    sent = []
    for number in range(files):
        data = picture(width=1 + number % 90, height=1 + number // 90)
        headers = {"Content-Type": "application/octet-stream"}
        answer = client.post(
            "/v1/files", params={"name": f"picture {number}.png"}, content=data, headers=headers
        )
        sent.append(answer.raise_for_status().json()["url"])
    [bot] = [row for row in client.get("/v1/bots").json()["results"] if row["slug"] == "acme"]
    for number in range(articles):
        shown = "".join(f"\n![P]({url})\n" for url in sent[number::articles])
        link = f"/help/{bot['slug']}/articles/article-{(number + 1) % articles}"
        text = f"\r\n# One *{number}*\n\n[N]({link})\n{shown}"
        body = {
            "title": f"Article {number}",
            "contentMarkdown": text,
            "collectionId": collections[number % 9],
        }
        article = client.post("/v1/articles", json=body).raise_for_status().json()
        client.post(f"/v1/articles/{article['id']}/publish").raise_for_status()
        for locale in LOCALES:
            translation = {
                **body,
                "title": f"{locale} {number}",
                "locale": locale,
                "translationOf": article["id"],
            }
            made = client.post("/v1/articles", json=translation).raise_for_status().json()
            if number % 5:
                client.post(f"/v1/articles/{made['id']}/publish").raise_for_status()
        if number % 3 == 0:
            redirect = {"from": f"/old/{number}", "articleId": article["id"]}
            client.post("/v1/redirects", json=redirect).raise_for_status()


@pytest.mark.parametrize(("articles", "files"), [(9, 12), (500, 1_000)])
def test_an_import_of_an_export_is_the_same_help_center(tmp_path: Path, articles: int, files: int) -> None:
    with installed() as installation:
        installation.run("bot", "create", "Acme")
        key = installation.run("key", "create", "writer", "--scope", "content:write", "--bot", "acme")["key"]
        installation.run("bot", "create", "Empty", "--slug", "empty")
        installation.serve()
        fill(installation, key, articles, files)
        first, second = tmp_path / "first.zip", tmp_path / "second.zip"

        counts = installation.run("export", str(first), "--bot", "acme")
        installation.run("import", str(first), "--bot", "empty")
        installation.run("export", str(second), "--bot", "empty")

    assert (counts["articles"], counts["translations"], counts["files"]) == (articles, 2 * articles, files)
    assert unpacked(second.read_bytes()) == unpacked(first.read_bytes())
    assert second.read_bytes() == first.read_bytes()
