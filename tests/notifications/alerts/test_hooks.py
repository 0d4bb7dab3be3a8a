"""Only URLs that the four tools issue are recognized."""

import pytest

from instep.notifications.alerts.hooks import DISCORD, read_hook
from instep.notifications.alerts.schemas import Tool
from tests.support.alert_targets import ADDRESSES, POWER_PLATFORM, TOKENS

SLACK = ADDRESSES["slack"]
TEAMS = ADDRESSES["teams"]
MATTERMOST = ADDRESSES["mattermost"]


@pytest.mark.parametrize("tool", list(ADDRESSES))
def test_the_address_of_each_tool_is_understood(tool: Tool) -> None:
    hook = read_hook(ADDRESSES[tool])

    assert (hook.tool, hook.target.port, hook.target.scheme) == (tool, 443, "https")
    assert hook.last_four == TOKENS[tool][-4:]
    assert ADDRESSES[tool].startswith(f"https://{hook.target.host}")
    assert TOKENS[tool] not in repr(hook)


@pytest.mark.parametrize("host", DISCORD)
def test_every_host_of_discord_is_understood_and_the_one_without_a_redirect_used(host: str) -> None:
    hook = read_hook(ADDRESSES["discord"].replace("discord.com", host))

    assert (hook.tool, hook.address) == ("discord", ADDRESSES["discord"])


@pytest.mark.parametrize("tool", list(ADDRESSES))
def test_a_slash_at_the_end_is_not_sent(tool: Tool) -> None:
    path, mark, query = ADDRESSES[tool].partition("?")

    assert read_hook(f"{path}/{mark}{query}").address == ADDRESSES[tool].replace(":443", "")


@pytest.mark.parametrize(
    ("address", "tool", "host", "port"),
    [
        (f"{SLACK}/", "slack", "hooks.slack.com", 443),
        (SLACK.replace("hooks", "HOOKS"), "slack", "hooks.slack.com", 443),
        (SLACK.replace(".com", ".com:443"), "slack", "hooks.slack.com", 443),
        (POWER_PLATFORM, "teams", "default0a1b.0c.environment.api.powerplatform.com", 443),
        (
            POWER_PLATFORM.replace("/direct", "/direct/cu/07"),
            "teams",
            "default0a1b.0c.environment.api.powerplatform.com",
            443,
        ),
        (MATTERMOST.replace(".com", ".com:8065"), "mattermost", "chat.example.com", 8065),
        (MATTERMOST.replace(".com", ".com/a/b"), "mattermost", "chat.example.com", 443),
        (MATTERMOST.replace("chat.example.com", "8.8.8.8"), "mattermost", "8.8.8.8", 443),
    ],
)
def test_variants_of_the_urls_are_recognized(address: str, tool: Tool, host: str, port: int) -> None:
    hook = read_hook(address)

    assert (hook.tool, hook.target.host, hook.target.port) == (tool, host, port)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "hello",
        "https://example.com/",
        "https://example.com/hooks/short",
        SLACK.replace("https", "http"),
        MATTERMOST.replace("https", "http"),
        SLACK.replace("https", "slack"),
        "slack://T0AAAAAAA/B0BBBBBBB/XXXXXXXXXXXXXXXXXXXXXXXX",
        "mailto://user:password@example.com",
        "json://example.com/hooks/secrettokensecrettokensecr",
        "file:///etc/passwd",
        "https://hooks.slack.com/workflows/T0AAAAAAA/A1/1/XXXXXXXXXXXXXXXXXXXXXXXX",
        SLACK.replace("hooks.slack.com", "hooks.slack.com.example.com"),
        SLACK.replace("hooks.slack.com", "hooks.slack.com@example.com"),
        SLACK.replace("/services", "?x=/services"),
        SLACK.replace(".com", ".com:8443"),
        f"{SLACK}/more",
        f"{SLACK}#channel",
        f"{SLACK}?verify=no",
        f"{SLACK}?template=file:///etc/passwd",
        f"{SLACK}?to=@channel",
        f"{ADDRESSES['discord']}?ping=@everyone",
        f"{ADDRESSES['discord']}?redirect=yes",
        f"{MATTERMOST}?mode=bot",
        f"{MATTERMOST}/../../api",
        MATTERMOST.replace("/hooks", "/../hooks"),
        MATTERMOST.replace("/hooks", "/%2e%2e/hooks"),
        MATTERMOST.replace("chat.example.com", "[2606:4700:4700::1111]"),
        MATTERMOST.replace("https://", "https://user:password@"),
        f"{TEAMS}&verify=no",
        f"{TEAMS}&pa=yes",
        f"{TEAMS}&sig=another",
        TEAMS.replace("sv=1.0", "sv=2.0"),
        TEAMS.replace("manual%2Frun", "manual%2Fother"),
        TEAMS.replace("&sv=1.0", ""),
        TEAMS.replace(".logic.azure.com", ".logic.azure.com.example.com"),
        TEAMS.replace("prod-12.westeurope.logic.azure.com", "xlogic.azure.com"),
        f"{SLACK}\n",
        f"{SLACK}\0",
        f" {SLACK}",
        f"https://chat.example.com/{'a/' * 1_000}hooks/{TOKENS['mattermost']}",
        "https://\ud800.example.com/",
    ],
)
def test_other_urls_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"^its? ") as refusal:
        read_hook(address)

    for token in TOKENS.values():
        assert token not in str(refusal.value)
