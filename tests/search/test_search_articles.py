"""GET /v1/articles/search."""

import re

import pytest

from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast
from tests.support.http import create_article, create_collection, named_fields, ok
from tests.support.search import SEARCH, publish, search, titles

FILLER = "Nothing of interest stands here. " * 20


async def test_a_result_is_the_article_with_an_excerpt_and_a_score(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Billing", f"{FILLER}**Invoices** come by `mail`.", description="Money.")
    await publish(client, "Team", "Invite people.")

    [result] = await search(api(cast.acme.read_key), "invoice")

    assert isinstance(result["score"], float)
    assert "Invoices come by mail." in result["excerpt"]
    assert {name: value for name, value in result.items() if name not in ("excerpt", "score")} == article


async def test_html_takes_the_place_of_markdown(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Billing", "*Invoices*")

    [result] = await search(client, "invoices", format="html")

    assert result["contentHtml"] == "<p><em>Invoices</em></p>\n"
    assert "contentMarkdown" not in result
    assert result["excerpt"] == "Invoices"


async def test_a_search_without_a_match_is_an_empty_list(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client)

    answer = ok(await client.get(SEARCH, params={"q": "kookaburra"}))

    assert answer == {"results": [], "has_more": False, "next_cursor": None}


async def test_the_title_weighs_more_than_the_description_and_that_more_than_the_text(
    api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "One", "Some export it.")
    await publish(client, "Two", "Text.", description="How to export.")
    await publish(client, "An export", "Text.")

    rows = await search(client, "export")

    assert [row["title"] for row in rows] == ["An export", "Two", "One"]
    assert rows[0]["score"] > rows[1]["score"] > rows[2]["score"]


@pytest.mark.parametrize(
    ("title", "query"),
    [("Export data", "export DATA"), ("What's new?", "what's new"), ("How to", "how to"), ("导出", "导出")],
)
async def test_the_article_with_that_very_title_comes_first(
    api: Api, cast: Cast, title: str, query: str
) -> None:
    client = api(cast.acme.write_key)
    for other in (f"{title} {title} again", f"How {title} works"):
        await publish(client, other, f"{title}. " * 50, description=f"{title} {title}")
    await publish(client, title, "Nothing else.")

    assert (await titles(client, query))[0] == title


async def test_an_article_needs_all_words_where_one_has_them(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Both", "Export your invoices.")
    await publish(client, "Export", "Export, export, export.")

    assert await titles(client, "export invoices") == ["Both"]


async def test_articles_with_most_words_come_first_if_none_has_all(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Kiwi", "kiwi kiwi kiwi")
    await publish(client, "Fruit", "An apple and a banana.")
    await publish(client, "Other", "Nothing.")

    rows = await search(client, "apple banana kiwi melon")

    assert [row["title"] for row in rows] == ["Fruit", "Kiwi"]
    assert 1 > rows[0]["score"] > rows[1]["score"] > 0


async def test_stop_words_alone_do_not_match(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Install", "What is the way to do it? Run it.")

    assert await titles(client, "what is the kookaburra") == []


async def test_the_beginning_of_the_last_word_is_enough(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Webhook configuration", "How a delivery is signed.")

    for query in ("webho", "configurat", "deliver", "delivery sig"):
        assert await titles(client, query) == ["Webhook configuration"], query
    for query in ("ebhook", "webho si", "wo"):
        assert await titles(client, query) == [], query


@pytest.mark.parametrize(
    "name",
    [
        *(
            "--dry-run",
            "snake_case_name",
            "/v1/articles",
            "GET /v1/articles",
            "INSTEP_SITE_URL",
            "wp-config.php",
        ),
        *("127.0.0.1", "a@example.com", "C:\\temp", "$HOME", "{{name}}", "v1.2.3", "key=value", "::1f"),
    ],
)
async def test_a_name_in_code_is_found_as_it_is_typed(api: Api, cast: Cast, name: str) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Reference", f"First, `{name}`; then more.")
    words = re.findall(r"\w+", name.replace("_", " "))
    if len(words) > 1:
        await publish(client, "Loose words", " and ".join(reversed(words)))

    rows = await search(client, name)

    assert rows[0]["title"] == "Reference"
    assert rows[0]["score"] >= 1


async def test_a_phrase_in_quotes_is_found_as_it_stands(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Near", "An invoice that is past due.")
    await publish(client, "Far", "Due in the past.")

    assert await titles(client, '"past due"') == ["Near"]
    assert set(await titles(client, "past due")) == {"Near", "Far"}


@pytest.mark.parametrize(
    ("locale", "text", "query"),
    [
        ("en", "Exporting invoices", "exported invoice"),
        ("de", "Die Rechnungen werden verschickt", "rechnung"),
        ("fr", "Télécharger les factures", "facture"),
        ("es", "Configuración de las cuentas", "cuenta"),
        ("pt-BR", "Configurações das contas", "conta"),
        ("ru", "Настройки уведомлений", "уведомления"),
        ("tr", "Ayarlar\u0131 değiştirin", "ayarlar"),
        ("ar", "إعدادات الحسابات", "الحساب"),
        ("he", "הגדרות חשבון", "חשבון"),
        ("vi", "Đặt lại mật khẩu", "mật khẩu"),
        ("zh-Hans", "如何在应用中重置密码。然后登录", "重置密码"),
        ("zh-Hans", "如何在应用中重置密码。然后登录", "登录"),
        ("ja", "パスワードを変更する方法", "パスワード"),
        ("ja", "パスワードを変更する方法", "変更"),
        ("ko", "비밀번호를 변경하는 방법", "비밀번호"),
        ("th", "วิธีเปลี่ยนรหัสผ่านของคุณ", "รหัสผ่าน"),
        ("lo", "ວິທີປ່ຽນລະຫັດຜ່ານ", "ລະຫັດ"),
        ("km", "របៀបប្តូរពាក្យសម្ងាត់", "ពាក្យ"),
        ("my", "စကားဝှက်ပြောင်းနည်း", "စကားဝှက်"),
        ("hi", "पासवर्ड कैसे बदलें", "पासवर्ड"),
        ("xx", "Blorp zonk", "zonk"),
    ],
)
async def test_each_language_is_read_in_its_own_way(
    api: Api, cast: Cast, locale: str, text: str, query: str
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "The one", f"{text}.", locale=locale)
    await publish(client, "Another", "Something else entirely.", locale=locale)
    await publish(client, "English", "Plain words.")

    [row] = await search(client, query)

    assert row["title"] == "The one"
    assert row["score"] > 1
    assert row["excerpt"] == f"{text}."


async def test_the_language_can_be_chosen(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    root = await publish(client, "Webhooks", "Text.")
    await publish(client, "Webhooks auf Deutsch", "Text.", locale="de", translationOf=root["id"])

    assert set(await titles(client, "webhooks")) == {"Webhooks", "Webhooks auf Deutsch"}
    assert await titles(client, "webhooks", locale="de") == ["Webhooks auf Deutsch"]
    assert await titles(client, "webhooks", locale="DE") == ["Webhooks auf Deutsch"]
    assert await titles(client, "webhooks", locale="fr") == []


async def test_the_excerpt_falls_back_to_the_description_and_then_to_the_beginning(
    api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Walrus one", f"# Start\n\n{FILLER}", description="What a tusk is for.")
    await publish(client, "Walrus two", f"# Start\n\n{FILLER}")
    await publish(client, "Walrus three", "")

    excerpts = {row["title"]: row["excerpt"] for row in await search(client, "walrus")}

    assert excerpts["Walrus one"] == "What a tusk is for."
    assert excerpts["Walrus two"].startswith("Start Nothing of interest")
    assert excerpts["Walrus two"].endswith("…")
    assert excerpts["Walrus three"] == ""


async def test_publishing_brings_an_article_in_and_everything_else_takes_it_out(
    api: Api, cast: Cast, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    path = f"/v1/articles/{(await create_article(client, 'Kookaburra'))['id']}"

    assert await titles(client, "kookaburra") == []
    ok(await client.post(f"{path}/publish"))
    assert await titles(client, "kookaburra") == ["Kookaburra"]
    ok(await client.post(f"{path}/unpublish"))
    assert await titles(client, "kookaburra") == []
    ok(await client.post(f"{path}/publish"))
    for hidden in ("archived", "in_review"):
        await owner.execute(
            "update articles set status = %(status)s where title = 'Kookaburra'", status=hidden
        )
        assert await titles(client, "kookaburra") == []
    await owner.execute("update articles set status = 'published' where title = 'Kookaburra'")
    assert await titles(client, "kookaburra") == ["Kookaburra"]
    ok(await client.delete(path))
    assert await titles(client, "kookaburra") == []
    ok(await client.post(f"{path}/restore"))
    assert await titles(client, "kookaburra") == []


async def test_a_change_is_found_at_once_and_the_replaced_text_no_longer(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    path = f"/v1/articles/{(await publish(client, 'Alpha', 'beta', description='gamma'))['id']}"
    change = {"title": "Delta", "contentMarkdown": "epsilon", "description": "zeta"}
    ok(await client.patch(path, json=change))

    for word in ("alpha", "beta", "gamma"):
        assert await titles(client, word) == [], word
    for word in ("delta", "epsilon", "zeta"):
        assert await titles(client, word) == ["Delta"], word


async def test_a_proposal_is_found_when_it_is_applied(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client)
    body = {"contentMarkdown": "About the kookaburra."}
    proposed = await client.post(f"/v1/articles/{article['id']}/drafts", json=body)

    assert await titles(client, "kookaburra") == []
    ok(await client.post(f"/v1/drafts/{proposed.json()['id']}/apply", json={}))
    assert await titles(client, "kookaburra") == ["Install"]


async def test_articles_for_signed_in_visitors_are_found_with_a_key(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    staff = await create_collection(client, "Staff", visibility="authenticated")
    await publish(client, "Kookaburra one", visibility="authenticated")
    await publish(client, "Kookaburra two", collectionId=staff["id"])

    assert set(await titles(client, "kookaburra")) == {"Kookaburra one", "Kookaburra two"}


async def test_articles_of_other_bots_and_companies_are_not_found(api: Api, cast: Cast) -> None:
    await publish(api(cast.acme.write_key), "Kookaburra")
    wide = api(cast.wide_key)

    assert await titles(api(cast.globex.read_key), "kookaburra") == []
    assert await titles(wide, "kookaburra", bot_id=str(cast.second_bot_id)) == []
    assert await titles(wide, "kookaburra", bot_id=str(cast.acme.bot_id)) == ["Kookaburra"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("q", ""),
        ("q", "a"),
        ("q", "  "),
        ("q", " \t\n"),
        ("q", "a\0b"),
        ("q", "x" * (limits.MAX_QUERY_CHARACTERS + 1)),
        ("format", "pdf"),
        ("locale", "not a language"),
        ("page_size", "0"),
        ("page_size", "101"),
    ],
)
async def test_a_bad_parameter_is_refused_by_name(api: Api, cast: Cast, name: str, value: str) -> None:
    refused = await api(cast.acme.read_key).get(SEARCH, params={"q": "install", name: value})

    assert named_fields(refused) == [name]


async def test_the_query_must_be_sent(api: Api, cast: Cast) -> None:
    assert named_fields(await api(cast.acme.read_key).get(SEARCH)) == ["q"]


HOSTILE = [
    *(
        "<->",
        "a <-> b",
        "!a",
        "a & | b",
        "a:*",
        "':*",
        "''",
        '""',
        '"a',
        "a'b\\c",
        "\\\\",
        "(((",
        "%%",
        "%s %(bot)s",
    ),
    *(
        "' or 1=1 --",
        "'; drop table articles; --",
        "a' <-> 'b':A & !c",
        "\u202eabc",
        "🚀🚀",
        "👩‍👩‍👧‍👦 x",
        "א ב",
        "ﷺﷺ",
    ),
    *("\ufeff\ufeff", "\u200b\u200b", "e\u0301\u0301", "\ud7ff\ue000", "\U0010ffff\U0010ffff", "i̇İ", "ß ẞ"),
    *(
        "x" * 500,
        "密" * 500,
        "ﷲ" * 500,
        "\U0001d54f" * 500,
        "\u0301" * 500,
        "a " * 250,
        "-" * 500,
        '"' * 500,
        "a-" * 250,
    ),
    *("1." * 250, "/a" * 250, "the " * 125, "Ǆ" * 500, "(" * 500, "\U00020000" * 500, "a" + "\u0300" * 499),
]


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
async def test_any_text_may_be_searched_for(api: Api, cast: Cast, query: str) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Install", f"Run it.\n\n`{query}`")
    await publish(client, "密码", "重置密码", locale="zh")

    for q in (query, query.swapcase()[: limits.MAX_QUERY_CHARACTERS]):
        assert isinstance(ok(await client.get(SEARCH, params={"q": q}))["results"], list)


async def test_bytes_that_are_no_text_may_be_searched_for(api: Api, cast: Cast) -> None:
    for raw in ("%ff%fe", "%ed%a0%80%ed%a0%80", "%c0%80ab", "+%2B", "%25%25"):
        assert (await api(cast.acme.read_key).get(f"{SEARCH}?q={raw}")).status_code in (200, 400), raw


@pytest.mark.parametrize("query", ["GitHub", "github", "Github", '"Connect GitHub"', "connect github"])
async def test_a_name_with_capitals_inside_is_found_however_it_is_written(
    query: str, api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Connect GitHub", "Choose GitHub under *Settings*.")
    await publish(client, "Git", "A hub for git.")

    assert (await titles(client, query))[0] == "Connect GitHub"


async def test_a_name_with_capitals_inside_is_found_where_texts_write_it_small(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Deploy", "Run it from github.com.")
    await publish(client, "Billing", "Pay.")

    assert await titles(client, "GitHub") == ["Deploy"]


async def test_a_name_in_code_is_found_as_it_stands(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Lists", "Set `pageSize` to 10.")
    await publish(client, "Print", "The size of a page.")

    assert await titles(client, "pageSize") == ["Lists"]


@pytest.mark.parametrize(("query", "first"), [("C++", "C++"), ("C#", "C#"), ("bindings for c#", "C#")])
async def test_signs_tell_names_apart(api: Api, cast: Cast, query: str, first: str) -> None:
    client = api(cast.acme.write_key)
    for name in ("C", "C++", "C#"):
        await publish(client, f"Using {name} bindings", f"The bindings of {name} come with the package.")

    assert (await titles(client, query))[0] == f"Using {first} bindings"


async def test_words_that_no_reader_sees_are_not_found(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    hidden = (
        '[//]: # (platypus)\n\n[comment]: <> (wolverine)\n\n[unused]: https://x.example/cassowary "hoopoe"'
    )
    await publish(
        client, "Visible", f"See [the plans][plans].\n\n{hidden}\n\n[plans]: https://x.example/ocelot"
    )

    for word in ("platypus", "wolverine", "cassowary", "hoopoe", "ocelot"):
        assert await search(client, word) == []
    assert await titles(client, "plans") == ["Visible"]
