"""Importing an export creates the same help center, with the same links and the same export."""

from instep.platform.core.database import Database, Tx
from instep.transfer.imports.readers.instep_export import READER
from instep.transfer.imports.source.formats import tree_of_files
from tests.support.bringing import Importer
from tests.support.cast import Api, Cast, Client
from tests.support.exported_library import export_zip, fill, unpacked
from tests.support.file_samples import picture
from tests.support.http import created, ok
from tests.support.import_sources import Files
from tests.support.places import waiting
from tests.support.site_pages import publish, visit
from tests.support.translations import WAIT, WAIT_LONGER, change_root, follow, publish_pair
from tests.support.uploads import upload


async def test_links_to_all_pages_and_redirects_lead_to_the_same_in_another_help_center(
    client: Client, api: Api, database: Database, cast: Cast
) -> None:
    await fill(client, database, cast.acme)
    home, entries = f"/help/{cast.acme.slug}", "/v1/changelog/entries"
    entry = created(await client.post(entries, json={"title": "Two", "contentMarkdown": "Text.\n"}))
    ok(await client.patch(f"{entries}/{entry['id']}", json={"title": "Renamed since"}))
    start = ok(await client.get("/v1/collections"))["results"][0]
    links = (
        f"[a]({home}/) [b]({home}/changelog) [c]({home}/changelog/two)\n"
        f"[d]({home}/collections/start#list) [e]({home}/articles/install-now)\n"
    )
    await publish(client, "All", links, collectionId=start["id"])
    headings = f"## Filters\n\n[f]({home}/articles/find#h-filters)"
    await publish(client, "Find", headings)
    for source, path in (("/sections/1", "/collections/start"), ("/news", "/changelog")):
        url = f"http://help.test{home}{path}"
        created(await client.post("/v1/redirects", json={"from": source, "url": url}))

    first = unpacked(await export_zip(database, cast.acme))
    files = Files(first)
    report = await Importer(database, cast.globex).bring(READER.read(files), files)

    [page] = [content.decode() for path, content in first.items() if path.endswith("find.md")]
    assert page.endswith("[f](02-find.md#filters)")
    # The text of `fill` links to an anchor that its article has never had.
    assert [loss.what.rpartition("/")[2] for loss in report.losses] == ["01-setup.md#one"]
    there = api(cast.globex.write_key)
    text = ok(await there.get("/v1/articles/all"))["contentMarkdown"]
    assert text == links.replace(home, f"/help/{cast.globex.slug}")
    for source, path in (("/sections/1", "/collections/start"), ("/news", "/changelog")):
        answer = await api(None).get(f"/help/{cast.globex.slug}{source}")
        assert answer.headers["Location"] == f"http://help.test/help/{cast.globex.slug}{path}"
    assert unpacked(await export_zip(database, cast.globex)) == first


async def test_links_in_any_form_that_the_site_answers_lead_to_the_same_page_elsewhere(
    client: Client, api: Api, database: Database, cast: Cast
) -> None:
    created(await client.post("/v1/product-versions", json={"name": "1", "slug": "v1"}))
    home = f"/help/{cast.acme.slug}"
    admin = created(await client.post("/v1/collections", json={"title": "Admin"}))
    english = created(await client.post("/v1/collections", json={"title": "English"}))
    await publish(client, "Only here", "Text.", collectionId=english["id"])
    limits = await publish(client, "Limits", "Text.", collectionId=admin["id"])
    german = {"locale": "de", "translationOf": limits["id"]}
    await publish(client, "Grenzen", "## Filter\n\nText.", collectionId=admin["id"], **german)
    old = await publish(client, "Old limits", "Text.", untilVersion="v1", collectionId=admin["id"])
    written = {
        f"{home}/de/articles/limits#filter": "/de/articles/grenzen#h-filter",
        f"{home}/de/articles/only-here": "/articles/only-here",
        f"{home}/versions/v1/de/articles/grenzen": "/de/articles/grenzen",
        f"{home}/versions/v1/articles/old-limits": "/articles/old-limits",
        f"{home}/de/collections/admin": "/de/collections/admin",
        f"{home}/collections/english": "/collections/english",
        f"{home}/de/collections/english": "/collections/english",
        f"{home}/de/": "/de/",
        f"{home}/de/changelog": "/changelog",
        old["url"]: "/articles/old-limits",
    }
    links = "".join(f"[a]({address})\n" for address in written)
    everything = await publish(client, "All", "Text.")
    await publish(client, "Alles", links, locale="de", translationOf=everything["id"])
    redirect = {"from": "/alt", "url": f"http://help.test{home}/de/collections/admin"}
    created(await client.post("/v1/redirects", json=redirect))

    files = Files(unpacked(await export_zip(database, cast.acme)))
    report = await Importer(database, cast.globex).bring(READER.read(files), files)

    assert report.losses == []
    assert home.encode() not in b"".join(content for content in files.contents.values())
    there = ok(await api(cast.globex.write_key).get("/v1/articles/alles?locale=de"))["contentMarkdown"]
    new_home = f"/help/{cast.globex.slug}"
    assert there == "".join(f"[a]({new_home}{address})\n" for address in written.values())
    for address in ("/de/articles/grenzen", "/articles/old-limits", "/de/collections/admin", "/de/", "/alt"):
        answer = await api(None).get(f"{new_home}{address}", follow_redirects=True)
        assert answer.status_code == 200, address
    assert unpacked(await export_zip(database, cast.globex)) == files.contents


async def test_a_link_into_a_version_leads_to_the_file_that_is_about_it(
    client: Client, database: Database, cast: Cast
) -> None:
    for slug in ("1.x", "2.x", "3.x"):
        created(await client.post("/v1/product-versions", json={"slug": slug, "isCurrent": slug == "2.x"}))
    home = f"/help/{cast.acme.slug}"
    old = await publish(client, "Install old", untilVersion="1.x")
    await publish(client, "Alt", locale="de", translationOf=old["id"])
    install = await publish(client, "Install", sinceVersion="2.x")
    await publish(client, "Neu", locale="de", translationOf=install["id"])
    ok(await client.patch(f"/v1/articles/{old['id']}", json={"versionOf": install["id"]}))
    await publish(client, "Usage")
    written = {
        "versions/1.x/articles/install": "01-install-old.md",
        "versions/1.x/articles/install-old#one": "01-install-old.md#one",
        "versions/3.x/articles/install-old": "02-install.md",
        "versions/1.x/de/articles/neu": "01-install-old.de.md",
        "versions/2.x/articles/usage": "03-usage.md",
        "versions/2.x/": ".",
        **{
            path: f"{home}/{path}"
            for path in ("versions/1.x/articles/usage", "versions/1.x/", "versions/4.x/articles/install")
        },
    }
    await publish(client, "All", "".join(f"[a]({home}/{path})\n" for path in written))

    files = unpacked(await export_zip(database, cast.acme))

    assert files["04-all.md"].decode().endswith("".join(f"[a]({target})\n" for target in written.values()))
    assert b"version-of: 02-install.md" in files["01-install-old.md"]


async def test_an_original_in_another_language_and_its_translation_into_ours_stay_together(
    client: Client, api: Api, database: Database, cast: Cast
) -> None:
    german = await publish(client, "Einrichten", locale="de")
    await publish(client, "Set up", translationOf=german["id"])
    await publish(client, "Installer", locale="fr", translationOf=german["id"])

    first = unpacked(await export_zip(database, cast.acme))
    files = Files(first)
    report = await Importer(database, cast.globex).bring(READER.read(files), files)

    assert report.losses == []
    article = ok(await api(cast.globex.write_key).get("/v1/articles/set-up"))
    assert article["translationOf"] is not None
    assert unpacked(await export_zip(database, cast.globex)) == first


async def test_links_and_files_inside_parts_lead_to_their_copies(
    client: Client, api: Api, cast: Cast, database: Database
) -> None:
    file = await upload(client, picture(shade=143), "A.png")
    target = await publish(client, "Target", "Words.")
    home = f"/help/{cast.acme.slug}/articles"
    text = f"[To it]({home}/{target['slug']}) ![It]({file['url']})"
    created(await client.post("/v1/parts", json={"name": "figure", "text": text}))
    await publish(client, "Figures", "{{part.figure}}")
    files = Files(unpacked(await export_zip(database, cast.acme)))
    assert home not in files.read("parts.json").decode()

    report = await Importer(database, cast.globex).bring(READER.read(files), files)

    assert (report.parts.created, report.losses) == (1, [])
    [part] = ok(await api(cast.globex.write_key).get("/v1/parts"))["results"]
    assert f"[To it](/help/{cast.globex.slug}/articles/target)" in part["text"]
    assert "![It](/files/" in part["text"]
    page = (await visit(api, f"{cast.globex.slug}/articles/figures")).text
    assert f"/help/{cast.globex.slug}/articles/target" in page
    assert (await Importer(database, cast.globex).plan(READER.read(files), files)).report.changes_nothing


async def test_versions_and_families_of_articles_are_the_same_in_another_help_center(
    client: Client, api: Api, database: Database, cast: Cast
) -> None:
    for slug in ("1.x", "2.x", "3.0"):
        created(
            await client.post("/v1/product-versions", json={"slug": slug, "branches": [f"release/{slug}"]})
        )
    ok(await client.patch("/v1/product-versions/2.x", json={"isCurrent": True, "name": "Two"}))
    article = await publish(client, "Install")
    german = {"locale": "de", "translationOf": article["id"]}
    await publish(client, "Installieren", "Los.", **german)
    created(await client.post(f"/v1/articles/{article['id']}/split", json={"version": "2.x"}))
    first = unpacked(await export_zip(database, cast.acme))
    files = Files(first)

    report = await Importer(database, cast.globex).bring(READER.read(files), files)

    assert report.losses == []
    assert unpacked(await export_zip(database, cast.globex)) == first
    there = api(cast.globex.write_key)
    versions = ok(await there.get("/v1/product-versions"))["results"]
    assert [(row["name"], row["status"]) for row in versions] == [
        ("1.x", "older"),
        ("Two", "current"),
        ("3.0", "next"),
    ]
    old = ok(await there.get("/v1/articles/install-1-x"))
    new = ok(await there.get("/v1/articles/install"))
    assert (old["untilVersion"], new["sinceVersion"]) == ("1.x", "2.x")
    assert {old["versionOf"], new["versionOf"]} in ({new["id"], None}, {old["id"], None})
    assert (await Importer(database, cast.globex).plan(READER.read(files), files)).report.changes_nothing


async def test_a_version_that_is_missing_takes_its_place_in_the_order(
    client: Client, api: Api, database: Database, cast: Cast
) -> None:
    there = api(cast.globex.write_key)
    for slug in ("1.x", "2.x", "3.0"):
        created(await client.post("/v1/product-versions", json={"slug": slug}))
    created(await there.post("/v1/product-versions", json={"slug": "2.x"}))
    await publish(client, "Install")
    files = Files(unpacked(await export_zip(database, cast.acme)))

    await Importer(database, cast.globex).bring(READER.read(files), files)

    versions = ok(await there.get("/v1/product-versions"))["results"]
    assert [(row["slug"], row["status"]) for row in versions] == [
        ("1.x", "older"),
        ("2.x", "current"),
        ("3.0", "next"),
    ]


async def test_an_outdated_translation_stays_outdated_until_a_person_has_compared_it(
    client: Client, api: Api, database: Database, cast: Cast, owner: Tx
) -> None:
    root, _ = await publish_pair(client)
    await change_root(client, root, WAIT, WAIT_LONGER)
    await publish(client, "Exportations", "Texte.", locale="fr", translationOf=root["id"])
    files = Files(unpacked(await export_zip(database, cast.acme)))

    await Importer(database, cast.globex).bring(READER.read(files), files)

    there = api(cast.globex.write_key)
    assert await outdated_in(there) == ["de"]
    assert unpacked(await export_zip(database, cast.globex)) == files.contents
    await follow(database, owner)
    assert await outdated_in(there) == ["de"]
    [place] = await waiting(there)
    assert "compare the whole text" in place["reason"]

    ok(await there.post(f"/v1/places/{place['id']}/resolve"))
    assert await outdated_in(there) == []
    await change_root(there, ok(await there.get("/v1/articles/exports")), WAIT_LONGER, WAIT)
    assert await outdated_in(there) == ["de", "fr"]


async def test_a_folder_of_an_export_keeps_translations_outdated(
    client: Client, api: Api, database: Database, cast: Cast
) -> None:
    root, _ = await publish_pair(client)
    await change_root(client, root, WAIT, WAIT_LONGER)
    texts = unpacked(await export_zip(database, cast.acme))
    files = Files({path: text for path, text in texts.items() if path.endswith(".md")})

    await Importer(database, cast.globex).bring(tree_of_files(files, None), files)

    assert await outdated_in(api(cast.globex.write_key)) == ["de"]


async def outdated_in(client: Client) -> list[str]:
    rows = ok(await client.get("/v1/articles/exports"))["translations"]
    return [row["locale"] for row in rows if row["outdated"]]
