"""The grammar of URLs to call: a URL has one interpretation, or is refused."""

import re
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.platform.core.outbound.allowed import AllowList, refuse_url
from instep.platform.core.outbound.urls import PATTERN, Url, parse_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://example.com", Url("https", "example.com", None, 443)),
        ("http://Example.COM/", Url("http", "example.com", None, 80)),
        ("https://a.b-c.example:8443/x/y?z=1&q=%2F", Url("https", "a.b-c.example", None, 8443)),
        ("https://example.com?x", Url("https", "example.com", None, 443)),
        ("https://127.0.0.1.example.com/", Url("https", "127.0.0.1.example.com", None, 443)),
        ("https://example.com/@user:pass", Url("https", "example.com", None, 443)),
        ("https://8.8.8.8:80/", Url("https", "8.8.8.8", IPv4Address("8.8.8.8"), 80)),
        ("https://[2606:4700::0:1]/", Url("https", "2606:4700::1", IPv6Address("2606:4700::1"), 443)),
        ("https://receiver:65535/", Url("https", "receiver", None, 65535)),
    ],
)
def test_an_address_is_read(text: str, url: Url) -> None:
    assert parse_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.com",
        "//example.com",
        "/hooks",
        "https:example.com",
        "https:/example.com",
        "https:///example.com",
        "HTTPS://example.com",
        "ftp://example.com",
        "javascript://example.com",
        "https://",
        "https://:443/",
        "https://user@example.com/",
        "https://user:pass@example.com/",
        "https://example.com@127.0.0.1/",
        "https://example.com\\@127.0.0.1/",
        "https://example.com/\\",
        "https://example.com#a",
        "https://example.com/#@127.0.0.1/",
        " https://example.com",
        "https://example.com\n",
        "https://exa\tmple.com",
        "https://example.com/a b",
        "https://example.com/a\r\nHost: b",
        "https://example.com/\u00e9",
        "https://b\u00fccher.example",
        "https://example\u3002com",
        "https://\uff11\uff12\uff17.0.0.1",
        "https://exam\u00adple.com",
        "https://example%2ecom/",
        "https://example.com/%zz",
        "https://example.com/%2",
        'https://example.com/"',
        "https://example.com/<",
        "https://example.com:",
        "https://example.com:0",
        "https://example.com:080",
        "https://example.com:22/",
        "https://example.com:1023/",
        "https://example.com:65536/",
        "https://example.com:99999999999/",
        "https://example.com:8o/",
        "https://example..com/",
        "https://.example.com/",
        "https://example.com./",
        "https://localhost./",
        "https://-a.example/",
        "https://a-.example/",
        "https://a_b.example/",
        "https://*.example/",
        "https://" + "a" * 64 + ".example/",
        "https://" + "a." * 127 + "example/",
        "https://0/",
        "https://127.1/",
        "https://127.0.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.1/",
        "https://0177.0.0.1/",
        "https://127.0.0.01/",
        "https://127.0.0.256/",
        "https://1.2.3.4.5/",
        "https://example.1/",
        "https://example.0x1/",
        "https://[::1/",
        "https://::1/",
        "https://[::1%25eth0]/",
        "https://[::g]/",
        "https://[1.2.3.4]/",
        "https://[]/",
    ],
)
def test_ambiguous_urls_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^its? "):
        parse_url(text)


@given(st.from_regex(PATTERN, fullmatch=True, alphabet=st.characters(max_codepoint=0x3FF)) | st.text())
def test_accepted_urls_contain_their_host(text: str) -> None:
    try:
        url = parse_url(text)
    except ValueError:
        return
    authority = re.split("[/?]", text.split("://", 1)[1], maxsplit=1)[0].lower()
    assert text.isascii()
    assert url.address is not None or authority.startswith(url.host)
    assert not set(text) & set(" \\#\r\n\t\0")


@pytest.mark.parametrize(
    "text",
    [
        "https://localhost/",
        "https://a.localhost/",
        "https://receiver/",
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://host.home.arpa/",
        "https://localhost.localdomain/",
        "https://10.0.0.1/",
        "https://[::ffff:127.0.0.1]/",
        "https://169.254.169.254/",
        "http://example.com/",
        "http://8.8.8.8/",
    ],
)
def test_local_or_unencrypted_urls_are_refused(text: str) -> None:
    assert re.match(r"its? ", refusal_of(text))


@pytest.mark.parametrize(
    "text",
    ["https://example.com/", "https://local.example/", "https://notlocalhost.example/", "https://8.8.8.8/"],
)
def test_the_rest_is(text: str) -> None:
    assert refusal_of(text) == ""


def refusal_of(text: str) -> str:
    try:
        refuse_url(parse_url(text), AllowList())
    except ValueError as error:
        return str(error)
    return ""
