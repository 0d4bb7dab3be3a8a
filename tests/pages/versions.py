"""A help center with product versions."""

from tests.support.cast import Client
from tests.support.http import created
from tests.support.site_pages import collect, publish

TEXT = """\
Choose how the agent starts: by hand, or [at every start of the machine](/help/atlas/articles/services).

## Before you begin

Check that your account may install programs.

## Run the installer

Download `atlas.sh`, then run it.
"""


async def write_versions(client: Client) -> None:
    """Create three versions (the second is current), an article in all, one for each, and some in a few."""
    names = {"1.x": "1.x", "2.x": "2.x with long-term support", "3.0": "3.0"}
    for slug, name in names.items():
        sent = {"slug": slug, "name": name, "isCurrent": slug == "2.x"}
        created(await client.post("/v1/product-versions", json=sent))
    group = (await collect(client, "First steps", icon="🧭"))["id"]
    install = await publish(
        client, "Install Atlas", TEXT, slug="install", collectionId=group, description="On one machine."
    )
    await publish(
        client, "Atlas installieren", TEXT, slug="install", locale="de", translationOf=install["id"]
    )
    services = await publish(client, "Start as a service", TEXT, slug="services", sinceVersion="2.x")
    await publish(
        client,
        "Start from the boot script",
        TEXT,
        slug="services-1",
        untilVersion="1.x",
        versionOf=services["id"],
    )
    await publish(client, "Connect by telnet", TEXT, slug="telnet", collectionId=group, untilVersion="1.x")
    await publish(client, "Clusters", TEXT, slug="clusters", collectionId=group, sinceVersion="3.0")
