"""`instep style export` and `instep style import`."""

import json
from pathlib import Path

from tests.support.cast import Cast
from tests.support.commands import Operator
from tests.support.wording import like


async def test_a_vale_style_is_added_and_an_exported_file_replaces_all(
    operator: Operator, cast: Cast, tmp_path: Path
) -> None:
    place = ("--workspace", cast.acme.workspace_id, "--bot", cast.acme.slug)
    rules, file, broken = tmp_path / "vale", tmp_path / "style.json", tmp_path / "broken.json"
    rules.mkdir()
    (rules / "Words.yml").write_text("extends: substitution\nswap:\n  log in: sign in\n")
    (rules / "Script.yml").write_text("extends: script\n")
    file.write_text('{"avoidWords": ["simply"]}')
    broken.write_text('{"avoidWords": "simply"}')

    added = await operator.run("style", "import", str(rules), *place)
    exported = json.loads((await operator.run("style", "export", *place)).text)
    await operator.run("style", "import", str(file), *place)
    replaced = json.loads((await operator.run("style", "export", *place)).text)
    refused = await operator.run("style", "import", str(broken), *place)

    assert added.err == like("Left out: Script.yml: …script….\n")
    assert [(term["term"], term["neverSay"]) for term in exported["terms"]] == [("sign in", ["log in"])]
    assert (replaced["avoidWords"], replaced["terms"]) == (["simply"], [])
    assert refused.refusal == like("…broken.json…`avoidWords`…")
