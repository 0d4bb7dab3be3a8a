"""Invalid URLs anywhere in a source: none of them stops an import."""

from pathlib import Path

import pytest

from instep.content.redirects.path_patterns import is_match, page_path
from instep.transfer.imports.fetchers.product_api import Api
from instep.transfer.imports.fetchers.saved_files import FileSaver
from instep.transfer.imports.html.safe_links import page_of
from instep.transfer.imports.plan.addresses import addresses_above, directory_of
from instep.transfer.imports.plan.other_pages import PatternIndex
from instep.transfer.imports.products.html_texts import linked_path
from instep.transfer.imports.tree.schemas import UnreadableSource
from instep.transfer.imports.tree.url_parts import path_of, site_of
from tests.support.import_sources import page, tree
from tests.support.wording import like

UNREADABLE = "https://[your-host]/embedly.com"


def test_an_unreadable_address_is_of_no_page_and_no_site() -> None:
    assert linked_path("a.html", UNREADABLE) is None
    assert path_of(UNREADABLE) is None
    assert site_of(UNREADABLE) is None
    assert page_of(UNREADABLE) == UNREADABLE
    assert page_path("http://help.test/help/acme", UNREADABLE) is None


async def test_a_picture_at_an_unreadable_address_is_told_and_the_next_page_of_a_list_refused(
    tmp_path: Path,
) -> None:
    # Nothing is fetched, so no client is needed.
    api = Api(None, "Zendesk", "a key", "https://acme.zendesk.com", {}, tmp_path, lambda line: None)  # type: ignore[arg-type]

    assert await FileSaver(api).save(UNREADABLE) == {"error": like("…invalid…")}
    with pytest.raises(UnreadableSource, match="which is outside"):
        api.url_of(UNREADABLE)


def test_parent_addresses_end_at_the_root() -> None:
    assert list(addresses_above("//a/b/c")) == ["/a/b", "/a"]


@pytest.mark.parametrize("path", ["/hc/1-a", "/hc/12", "/hc/2", "/x/1-a", "/hc", "/de/hc/1-a", "/", "/a/b"])
def test_a_pattern_is_found_as_if_all_were_compared(path: str) -> None:
    patterns = ["/hc/1-*", "/hc/1*", "/*/1-*", "/de/*/1*", "/hc/*", "/*", "/*/*", "/hc/12"]
    index = PatternIndex[int]()
    for number, pattern in enumerate(patterns):
        index.add(pattern, number)

    first = next((number for number, pattern in enumerate(patterns) if is_match(pattern, path)), None)

    assert index.first_match(path) == first


def test_a_link_is_compared_with_few_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def counted(pattern: str, path: str) -> bool:
        compared.append(pattern)
        return is_match(pattern, path)

    monkeypatch.setattr("instep.transfer.imports.plan.other_pages.is_match", counted)
    pages = [page(f"{number}.md", former_addresses=(f"/hc/{number:06}-*",)) for number in range(200)]
    directory = directory_of(tree(*pages), [])

    assert directory.page_at("/hc/000123-title") is pages[123]
    assert directory.page_at("/hc/none") is None
    assert compared == ["/hc/000123-*"]
