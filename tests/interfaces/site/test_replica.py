"""`INSTEP_DATABASE_READ_URL`: pages are read from a replica as long as it is up to date."""

from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests.support.cast import Cast
from tests.support.installation import Installation, installed
from tests.support.standbys import Pair, paired

SECONDS = 30
# A superuser's change without triggers: it reaches the replica, but nothing records that it happened.
CHANGE_SILENTLY = """
    set session_replication_role = replica;
    update articles set content_html = replace(content_html, 'first', 'silent');
"""


@dataclass
class Site:
    pair: Pair
    client: httpx2.Client

    def page(self, slug: str) -> httpx2.Response:
        return self.client.get(f"/help/acme/articles/{slug}", headers={"Authorization": ""})

    def list_of(self, path: str, field: str, **params: str) -> str:
        """One field of all rows of an API list, joined."""
        response = self.client.get(path, params={"format": "html", **params})
        assert response.status_code == 200, response.text
        return " ".join(row[field] for row in response.json()["results"])

    def replay(self, action: str) -> None:
        with psycopg.connect(self.pair.standby.url, autocommit=True) as standby:
            standby.execute(f"select pg_wal_replay_{action}()".encode())


def publish(client: httpx2.Client, slug: str, words: str) -> None:
    fields = {"title": slug.title(), "slug": slug, "contentMarkdown": words}
    assert client.post("/v1/articles", json=fields).status_code == 201
    assert client.post(f"/v1/articles/{slug}/publish").status_code == 200


@pytest.fixture
def installation() -> Iterator[tuple[Pair, Installation]]:
    with paired() as pair:
        urls = {"INSTEP_DATABASE_URL": pair.primary.url, "INSTEP_DATABASE_READ_URL": pair.standby.url}
        with installed(**urls) as installation:
            yield pair, installation


@pytest.fixture
def site(installation: tuple[Pair, Installation]) -> Site:
    pair, server = installation
    server.serve("--no-jobs")
    site = Site(pair, server.client())
    publish(site.client, "install", "The first words.")
    publish(site.client, "upgrade", "The first words, too.")
    pair.catch_up()
    return site


def test_pages_come_from_the_replica_until_it_is_behind(site: Site) -> None:
    site.replay("pause")
    with psycopg.connect(site.pair.primary.url, autocommit=True) as primary:
        primary.execute(CHANGE_SILENTLY.encode())
    assert "The first words." in site.page("install").text

    changed = site.client.patch("/v1/articles/install", json={"contentMarkdown": "The second words."})

    assert changed.status_code == 200
    assert "The second words." in site.page("install").text
    assert "The silent words, too." in site.page("upgrade").text


def test_lists_and_searches_come_from_the_replica_until_it_is_behind(site: Site) -> None:
    site.replay("pause")
    with psycopg.connect(site.pair.primary.url, autocommit=True) as primary:
        primary.execute(CHANGE_SILENTLY.encode())
    # The response lacks a change that the replica lacks, so it came from the replica.
    assert "first" in site.list_of("/v1/articles", "contentHtml")
    assert "first" in site.list_of("/v1/articles/search", "contentHtml", q="words")

    created = site.client.post("/v1/collections", json={"title": "New"})

    assert created.status_code == 201
    assert "silent" in site.list_of("/v1/articles", "contentHtml")
    assert "silent" in site.list_of("/v1/articles/search", "contentHtml", q="words")
    assert "New" in site.list_of("/v1/collections", "title")


def test_pages_are_shown_without_the_replica(site: Site) -> None:
    site.pair.kill_standby()

    assert "first" in site.list_of("/v1/articles", "contentHtml")
    assert site.page("install").status_code == 200
    assert "The first words, too." in site.page("upgrade").text


def test_pages_are_shown_where_the_replica_is_another_database(database_url: str, cast: Cast) -> None:
    other = make_conninfo(database_url, dbname="postgres")
    urls = {"INSTEP_DATABASE_URL": database_url, "INSTEP_DATABASE_READ_URL": other}
    with installed(None, **urls) as installation:
        installation.key = cast.acme.write_key
        installation.serve("--no-jobs")
        publish(installation.client(), "install", "The first words.")

        page = httpx2.get(f"{installation.url}/help/{cast.acme.slug}/articles/install")

        assert page.status_code == 200
        assert "replica can't be" in installation.last_words()
