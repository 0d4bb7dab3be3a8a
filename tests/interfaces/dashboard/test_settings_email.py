"""The page of email: it says whether email is sent, and a test shows the server's own answer."""

from instep.platform.core.limits import TEST_EMAILS_PER_HOUR
from tests.interfaces.dashboard.conftest import Desk
from tests.support.limits import SetSetting
from tests.support.mail_server import MailServer


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


async def test_tests_are_limited(desk: Desk, mail: MailServer) -> None:
    answers = [await desk.send("settings/email", "settings/email/test") for _ in range(TEST_EMAILS_PER_HOUR)]
    refused = await desk.send("settings/email", "settings/email/test")

    assert {answer.status_code for answer in answers} == {200}
    assert refused.status_code == 429
    assert len(mail.messages) == TEST_EMAILS_PER_HOUR


async def test_only_owners_send_a_test(editor: Desk, mail: MailServer) -> None:
    answer = await editor.send("settings/general", "settings/email/test")

    assert (answer.status_code, mail.messages) == (403, [])
