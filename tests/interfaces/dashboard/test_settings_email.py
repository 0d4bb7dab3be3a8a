"""The email page says whether email is sent, and its test shows the mail server's own answer."""

from instep.platform.core.database import Tx
from instep.platform.core.limits import TEST_EMAILS_PER_HOUR
from instep.platform.email.letters import Letter
from instep.platform.email.outgoing import send_email
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, RunJobs
from tests.support.limits import SetSetting
from tests.support.mail_server import ACCEPTED, MailServer
from tests.support.sign_in import fresh_email


async def test_without_a_server_the_page_says_what_to_set(desk: Desk) -> None:
    page = await desk.get("settings/email")

    assert "INSTEP_SMTP_URL" in page.text
    assert 'action="' + desk.path("settings/email/test") not in page.text


async def test_an_owner_gets_a_test(desk: Desk, mail: MailServer) -> None:
    page = await desk.send("settings/email", "settings/email/test")

    assert page.status_code == 200
    assert 'data-tone="good"' in page.text
    [message] = mail.messages
    assert message["To"] == desk.user.email
    assert message["From"] == "Acme Help <help@acme.example>"


async def test_the_servers_own_answer_is_shown(desk: Desk, mail: MailServer) -> None:
    mail.answers = ["554 5.7.1 <b>Sender</b> is not known here"]
    refused = await desk.send("settings/email", "settings/email/test")

    assert 'data-tone="bad"' in refused.text
    assert "554 5.7.1 &lt;b&gt;Sender&lt;/b&gt; is not known here" in refused.text


async def test_the_password_of_the_server_is_shown_to_nobody(desk: Desk, set_setting: SetSetting) -> None:
    set_setting("INSTEP_EMAIL_FROM", "help@acme.example")
    set_setting("INSTEP_SMTP_URL", "smtps://instep:a-secret-password@127.0.0.1:9")
    page = await desk.get("settings/email")
    refused = await desk.send("settings/email", "settings/email/test")

    assert "127.0.0.1:9" in refused.text
    assert "a-secret-password" not in page.text + refused.text


async def test_a_refused_email_is_shown_until_the_next_one_arrives(
    desk: Desk, owner: Tx, cast: Cast, mail: MailServer, run_jobs: RunJobs
) -> None:
    async def invite(address: str) -> None:
        await send_email(owner, cast.acme.workspace_id, address, Letter("Join", []), "en")
        await run_jobs()

    email = fresh_email("new")
    await desk.send("settings/people", "settings/people", email=email, role="editor")
    mail.recipient_answer = "550 5.1.1 <b>Nobody</b> has this address"
    await run_jobs()
    await invite(desk.user.email.upper())
    pages = [desk.path("settings/people"), desk.path("settings/email"), "/app/account"]
    refused = [(await desk.visitor.get(page)).text for page in pages]
    mail.recipient_answer = ACCEPTED
    await invite(email)
    await invite(desk.user.email)
    accepted = [(await desk.visitor.get(page)).text for page in pages]

    reason = "550 5.1.1 &lt;b&gt;Nobody&lt;/b&gt; has this address"
    assert [text.count(reason) for text in refused] == [2, 2, 1]
    assert [text.count(reason) for text in accepted] == [0, 0, 0]


async def test_tests_are_limited(desk: Desk, mail: MailServer) -> None:
    answers = [await desk.send("settings/email", "settings/email/test") for _ in range(TEST_EMAILS_PER_HOUR)]
    refused = await desk.send("settings/email", "settings/email/test")

    assert {answer.status_code for answer in answers} == {200}
    assert refused.status_code == 429
    assert len(mail.messages) == TEST_EMAILS_PER_HOUR


async def test_only_owners_send_a_test(editor: Desk, mail: MailServer) -> None:
    answer = await editor.send("settings/general", "settings/email/test")

    assert (answer.status_code, mail.messages) == (403, [])
