"""Built assets: cached forever in the smallest encoding, within budgets, and never older than the source."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from instep.platform.web.assets import BUILT, UnknownAsset, accepted_codings, asset_path, manifest
from scripts.check_assets import SOURCES, find_problems
from tests.support.cast import Api
from tests.support.wording import like

BUDGETS: dict[str, int] = json.loads((SOURCES / "budget.json").read_text())


async def test_a_built_file_is_kept_for_ever_and_shown_by_its_type(api: Api) -> None:
    client = api(None)
    style = await client.get(asset_path("site.css"))
    script = await client.get(asset_path("dashboard.js"))
    font = await client.get(asset_path("atkinson-hyperlegible-next-latin-wght-normal.woff2"))

    assert [answer.status_code for answer in (style, script, font)] == [200, 200, 200]
    assert {answer.headers["Cache-Control"] for answer in (style, script, font)} == {
        "public, max-age=31536000, immutable"
    }
    assert style.headers["Content-Type"] == "text/css; charset=utf-8"
    assert script.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert font.headers["Content-Type"] == "font/woff2"
    assert font.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("gzip;q=0", None),
        ("identity", None),
        ("", None),
    ],
)
async def test_the_smallest_coding_that_is_accepted_is_sent(
    api: Api, accepted: str, coding: str | None
) -> None:
    file = BUILT / manifest()["site.css"]
    headers = {"Accept-Encoding": accepted}
    async with api(None).stream("GET", asset_path("site.css"), headers=headers) as answer:
        content = b"".join([chunk async for chunk in answer.aiter_raw()])

    assert answer.headers.get("Content-Encoding") == coding
    assert answer.headers["Vary"] == "Accept-Encoding"
    endings = {"br": ".br", "gzip": ".gz", None: ""}
    assert content == file.with_name(file.name + endings[coding]).read_bytes()


async def test_fonts_are_not_compressed_twice(api: Api) -> None:
    path = asset_path("atkinson-hyperlegible-next-latin-wght-normal.woff2")
    font = await api(None).get(path, headers={"Accept-Encoding": "gzip, br"})

    assert "Content-Encoding" not in font.headers
    assert font.content.startswith(b"wOF2")


@pytest.mark.parametrize("name", ["site.css", "manifest.json", "site.00000000.css", "..%2f..%2fassets.py"])
async def test_other_names_get_404(api: Api, name: str) -> None:
    assert (await api(None).get(f"/static/dist/{name}")).status_code == 404


def test_a_template_that_names_a_file_which_is_not_built_fails() -> None:
    with pytest.raises(UnknownAsset, match="make assets"):
        asset_path("sight.css")


def test_an_accepted_coding_may_be_written_in_any_case_and_with_spaces() -> None:
    assert accepted_codings(" GZip ; q=0.1 , BR;q=0.000") == {"gzip"}


def test_every_bundle_stays_within_its_budget() -> None:
    """Sizes are in Brotli bytes, which nearly every browser loads."""
    sizes = {
        name: (BUILT / f"{file}.br").stat().st_size
        for name, file in manifest().items()
        if (BUILT / f"{file}.br").exists()
    }

    assert sizes.keys() == BUDGETS.keys()
    assert {name: size for name, size in sizes.items() if size > BUDGETS[name]} == {}


def test_a_visitor_of_a_customers_page_loads_little() -> None:
    """Limits for widget and panel together, with either compression."""
    for ending in (".br", ".gz"):
        sizes = {
            name: (BUILT / (manifest()[name] + ending)).stat().st_size for name in ("widget.js", "panel.js")
        }
        assert sizes["widget.js"] <= 4_000
        assert sum(sizes.values()) <= 20_000


async def test_the_types_of_the_widget_are_for_everybody(api: Api) -> None:
    answer = await api(None).get("/widget.d.ts")
    again = await api(None).get("/widget.d.ts", headers={"If-None-Match": answer.headers["ETag"]})

    assert "Instep" in answer.text
    assert "typescript" in answer.headers["Content-Type"]
    assert (again.status_code, again.content) == (304, b"")


def test_committed_assets_are_built_from_the_committed_sources() -> None:
    assert list(find_problems(SOURCES, BUILT)) == []


def test_the_check_names_each_difference(tmp_path: Path) -> None:
    sources, built = tmp_path / "frontend", tmp_path / "dist"
    shutil.copytree(SOURCES / "src", sources / "src")
    shutil.copytree(BUILT, built)
    style, script = manifest()["site.css"], manifest()["dashboard.js"]
    (built / style).write_bytes(b"a{}")
    (built / f"{script}.gz").write_bytes(gzip.compress(b"other"))
    (built / f"{script}.br").unlink()
    (built / "left.css").write_bytes(b"")

    assert list(find_problems(sources, built)) == [
        like("The sources…changed…"),
        f"{script}.br is missing.",
        f"{script}.gz is not what was built.",
        "left.css is not what was built.",
        f"{style} is not what was built.",
        f"{style}.gz holds another file.",
    ]
    (built / "manifest.json").unlink()
    assert list(find_problems(sources, built)) == ["manifest.json is missing."]


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((SOURCES / "package-lock.json").read_text())

    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in lock["packages"].items() if name)


def test_the_licenses_of_all_that_is_bundled_go_along() -> None:
    licenses = (SOURCES / "THIRD_PARTY_LICENSES").read_text()
    bundled = json.loads((SOURCES / "package.json").read_text())["dependencies"]

    assert [name for name, version in bundled.items() if f"\n{name} {version} (" not in licenses] == []
