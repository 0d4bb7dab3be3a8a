"""Email through a real SMTP server: encryption, passwords, refusals, outages, and message contents."""

import json
import ssl
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from structlog.testing import capture_logs

from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Tx
from instep.platform.core.limits import MAX_EMAIL_ATTEMPTS
from instep.platform.core.setting_forms import read_smtp_url
from instep.platform.email.letters import Letter, LetterItem, envelope_of
from instep.platform.email.outgoing import send_email
from instep.platform.email.smtp import EmailNotSent, deliver
from tests.support.cast import Cast, RunJobs
from tests.support.certificates import Authority
from tests.support.limits import SetSetting
from tests.support.mail_server import PASSWORD, USER, MailServer, html_of, mail_serving, text_of

TO = "ann@acme.example"
LETTER = Letter("A subject", ["A paragraph."], ("A button", "http://help.test/join?token=a-secret"))
CREDENTIALS = f"{quote(USER, safe='')}:{quote(PASSWORD, safe='')}@"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.create(tmp_path_factory.mktemp("authority") / "files")


@pytest.fixture
def certificate(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A certificate that this machine trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    return authority.serving()


@pytest.fixture
def use_server(set_setting: SetSetting) -> Callable[[str], None]:
    def use(url: str) -> None:
        set_setting("INSTEP_EMAIL_FROM", "Acmé Help <help@acme.example>")
        set_setting("INSTEP_SMTP_URL", url)

    return use


async def deliver_letter(letter: Letter = LETTER, to: str = TO) -> None:
    server = settings().smtp_server
    assert server is not None
    await deliver(server, envelope_of(settings(), to, letter, "en"), "help.test")


async def queue_letter(owner: Tx, cast: Cast, letter: Letter = LETTER, **options: Any) -> None:
    await send_email(owner, cast.acme.workspace_id, TO, letter, "en", **options)


async def waiting_emails(owner: Tx) -> list[str]:
    rows = await owner.value("select jsonb_agg(payload::text) from jobs where kind = 'send_email'")
    return rows or []


async def make_due(owner: Tx) -> None:
    await owner.execute("update jobs set run_at = now() where run_at is not null")


@pytest.mark.parametrize(("scheme", "is_encrypted"), [("smtp", False), ("starttls", True), ("smtps", True)])
async def test_each_way_of_encryption_delivers(
    scheme: str, is_encrypted: bool, certificate: ssl.SSLContext, use_server: Callable[[str], None]
) -> None:
    tls, upgrade = certificate if scheme == "smtps" else None, certificate if scheme == "starttls" else None
    async with mail_serving(tls=tls, upgrade=upgrade) as mail:
        use_server(f"{scheme}://127.0.0.1:{mail.port}")
        await deliver_letter()

    assert (mail.recipients, mail.encrypted) == ([TO], [is_encrypted])


async def test_a_password_is_sent_encrypted_only(
    certificate: ssl.SSLContext, use_server: Callable[[str], None]
) -> None:
    async with mail_serving(upgrade=certificate, asks_password=True) as mail:
        use_server(f"smtp://{CREDENTIALS}127.0.0.1:{mail.port}")
        await deliver_letter()
    async with mail_serving(asks_password=True) as plain:
        use_server(f"smtp://{CREDENTIALS}127.0.0.1:{plain.port}")
        with pytest.raises(EmailNotSent) as refusal:
            await deliver_letter()

    assert (mail.encrypted, plain.messages) == ([True], [])
    assert PASSWORD not in refusal.value.message


async def test_a_server_without_starttls_gets_nothing_if_it_is_required(
    use_server: Callable[[str], None],
) -> None:
    async with mail_serving() as mail:
        use_server(f"starttls://127.0.0.1:{mail.port}")
        with pytest.raises(EmailNotSent):
            await deliver_letter()

    assert mail.messages == []


async def test_a_certificate_that_is_not_trusted_ends_the_connection(
    authority: Authority, use_server: Callable[[str], None]
) -> None:
    untrusted = authority.serving()
    for scheme, tls, upgrade in (("smtps", untrusted, None), ("starttls", None, untrusted)):
        async with mail_serving(tls=tls, upgrade=upgrade) as mail:
            use_server(f"{scheme}://127.0.0.1:{mail.port}")
            with pytest.raises(EmailNotSent) as refusal:
                await deliver_letter()
            assert (mail.messages, refusal.value.is_final) == ([], False)
            assert "certificate" in refusal.value.message.lower()


async def test_a_wrong_password_is_told_in_the_servers_words_without_it(
    certificate: ssl.SSLContext, use_server: Callable[[str], None]
) -> None:
    async with mail_serving(tls=certificate, asks_password=True) as mail:
        use_server(f"smtps://ann:wrong-secret@127.0.0.1:{mail.port}")
        with pytest.raises(EmailNotSent) as refusal:
            await deliver_letter()

    assert "535" in refusal.value.message
    assert "wrong-secret" not in refusal.value.message
    # The operator can correct it while the email is still queued.
    assert not refusal.value.is_final


async def test_a_temporary_answer_is_tried_again_with_the_same_message_id(
    owner: Tx, cast: Cast, run_jobs: RunJobs, use_server: Callable[[str], None]
) -> None:
    async with mail_serving() as mail:
        use_server(f"smtp://127.0.0.1:{mail.port}")
        mail.answers = ["451 Try again later", "450 Busy"]
        await queue_letter(owner, cast)
        [waiting] = await waiting_emails(owner)
        for _ in range(4):
            await run_jobs()
            await make_due(owner)

    assert [message["Message-ID"] for message in mail.messages] == [json.loads(waiting)["message_id"]]
    assert await waiting_emails(owner) == []


@pytest.mark.parametrize("place", ["recipient", "message"])
async def test_a_permanent_refusal_is_logged_and_not_tried_again(
    place: str, owner: Tx, cast: Cast, run_jobs: RunJobs, use_server: Callable[[str], None]
) -> None:
    async with mail_serving() as mail:
        use_server(f"smtp://127.0.0.1:{mail.port}")
        if place == "recipient":
            mail.recipient_answer = f"550 5.1.1 <{TO.upper()}> No such person"
        else:
            mail.answers = ["554 5.7.1 Refused as spam"]
        await queue_letter(owner, cast)
        with capture_logs() as entries:
            await run_jobs()

    assert (mail.messages, await waiting_emails(owner)) == ([], [])
    [entry] = [entry for entry in entries if "given up" in entry["event"]]
    assert (entry["domain"], entry["log_level"]) == (TO.partition("@")[2], "warning")
    assert ("550" if place == "recipient" else "554") in entry["reason"]
    lines = json.dumps(entries, default=str).lower()
    assert "a-secret" not in lines
    assert TO not in lines


async def test_a_server_that_is_down_gets_the_email_when_it_is_up_again_or_it_is_given_up(
    owner: Tx, cast: Cast, run_jobs: RunJobs, use_server: Callable[[str], None]
) -> None:
    async with mail_serving() as mail:
        pass
    use_server(f"smtp://127.0.0.1:{mail.port}")
    await queue_letter(owner, cast)
    for _ in range(MAX_EMAIL_ATTEMPTS - 1):
        await run_jobs()
        await make_due(owner)
    assert len(await waiting_emails(owner)) == 1
    with capture_logs() as entries:
        await run_jobs()

    assert await waiting_emails(owner) == []
    assert len([entry for entry in entries if "given up" in entry["event"]]) == 1


async def test_an_email_whose_link_has_expired_is_not_delivered(
    owner: Tx, cast: Cast, run_jobs: RunJobs, use_server: Callable[[str], None]
) -> None:
    async with mail_serving() as mail:
        use_server(f"smtp://127.0.0.1:{mail.port}")
        await queue_letter(owner, cast, until=utc_now() - timedelta(seconds=1))
        await queue_letter(owner, cast, Letter("Another", []), until=utc_now() + timedelta(hours=1))
        await run_jobs()

    assert [message["Subject"] for message in mail.messages] == ["Another"]
    assert await waiting_emails(owner) == []


async def test_waiting_emails_are_encrypted(owner: Tx, cast: Cast, use_server: Callable[[str], None]) -> None:
    use_server("smtp://127.0.0.1:9")
    await queue_letter(owner, cast)
    [payload] = await waiting_emails(owner)

    assert TO not in payload
    assert "a-secret" not in payload
    assert json.loads(payload)["workspace"] == cast.acme.workspace_id


async def test_after_the_secret_key_has_changed_a_waiting_email_is_given_up(
    owner: Tx, cast: Cast, run_jobs: RunJobs, use_server: Callable[[str], None], set_setting: SetSetting
) -> None:
    async with mail_serving() as mail:
        use_server(f"smtp://127.0.0.1:{mail.port}")
        await queue_letter(owner, cast)
        set_setting("INSTEP_SECRET_KEY", "another key that seals secrets, long enough")
        await run_jobs()

    assert (mail.messages, await waiting_emails(owner)) == ([], [])


async def test_without_a_server_nothing_waits(owner: Tx, cast: Cast) -> None:
    await queue_letter(owner, cast)

    assert await waiting_emails(owner) == []


async def sent(mail: MailServer, letter: Letter, locale: str = "en") -> Any:
    server = settings().smtp_server
    assert server is not None
    await deliver(server, envelope_of(settings(), TO, letter, locale), "help.test")
    return mail.messages[-1]


async def test_nothing_that_people_have_written_becomes_a_header_or_html(
    use_server: Callable[[str], None],
) -> None:
    evil = "Acme\r\nBcc: evil@evil.example\n\n<script>alert(1)</script>\N{RIGHT-TO-LEFT OVERRIDE}\0"
    letter = Letter(
        evil, [evil], (evil, "http://help.test/"), [LetterItem(evil, evil, "http://help.test/a")], [evil]
    )
    async with mail_serving() as mail:
        use_server(f"smtp://127.0.0.1:{mail.port}")
        message = await sent(mail, letter)

    assert mail.recipients == [TO]
    assert (message["Bcc"], message["To"]) == (None, TO)
    assert message["Subject"].startswith("Acme Bcc: evil@evil.example")
    assert "<script" not in html_of(message)
    assert "<script>" in text_of(message)


async def test_every_line_fits_into_a_message_and_long_links_stay_whole(
    use_server: Callable[[str], None],
) -> None:
    link = f"http://help.test/unsubscribe?token={'a' * 300}"
    letter = Letter("Ünï\N{SNOWMAN}" * 60, ["word " * 900], items=[LetterItem("x" * 3_000)], unsubscribe=link)
    async with mail_serving() as mail:
        use_server(f"smtp://127.0.0.1:{mail.port}")
        message = await sent(mail, letter)

    assert max(map(len, message.as_bytes().splitlines())) <= 998
    assert message["List-Unsubscribe"] == f"<{link}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert link in html_of(message)
    assert link in text_of(message)


@pytest.mark.parametrize(
    ("locale", "language", "direction"),
    [("de", "de", "ltr"), ("ar", "ar", "rtl"), ("pt-BR", "pt-BR", "ltr"), ("xx", "en", "ltr")],
)
async def test_an_email_is_in_the_language_of_its_reader(
    locale: str, language: str, direction: str, use_server: Callable[[str], None]
) -> None:
    async with mail_serving() as mail:
        use_server(f"smtp://127.0.0.1:{mail.port}")
        message = await sent(mail, LETTER, locale)

    assert f'<html lang="{language}" dir="{direction}">' in html_of(message)


@pytest.mark.parametrize(
    "url",
    [
        *("mail.example.com", "http://mail.example.com", "smtp://", "smtp://mail.example.com/inbox"),
        *(
            "smtp://mail.example.com:0",
            "smtp://mail.example.com:port",
            "smtp://ann:pass/word@mail.example.com",
        ),
        "smtp://ann:pass#word@mail.example.com",
    ],
)
def test_an_address_that_is_none_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match="percent-encoded") as refusal:
        read_smtp_url(url)

    assert "word" not in str(refusal.value).replace("password", "")


def test_the_address_has_the_usual_ports() -> None:
    ports = [read_smtp_url(f"{scheme}://mail.example.com").port for scheme in ("smtp", "starttls", "smtps")]

    assert ports == [25, 587, 465]
