"""A model of a folder of this machine, as its publishers lay it out for ONNX: it needs an extra package."""

import asyncio
import hashlib
import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from instep.core.errors import Unusable
from instep.llm.embedding import Vector
from instep.llm.protocol import CompletionError

MODELS = ("model.onnx", "onnx/model.onnx")
EXTRA = "instep[local-embeddings]"
# Tokens of a text; beyond that a model like this one was never taught.
MOST_TOKENS = 256
# More at once take more memory and no less time.
AT_ONCE = 4


class ModelMissing(Unusable):
    """The folder named by INSTEP_EMBEDDINGS can't be used."""


@dataclass(frozen=True, slots=True)
class LocalEmbedder:
    """A transformer whose last layer is averaged, or whose first token speaks for all."""

    name: str
    session: Any
    tokenizer: Any
    takes_first: bool

    async def vectors(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(self.read, texts)
        except TimeoutError:
            raise CompletionError(f"It did not answer within {seconds:g} seconds.") from None

    def read(self, texts: Sequence[str]) -> list[Vector]:
        """Texts of about a length together, for all are as long as the longest."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        found: dict[int, Vector] = {}
        for start in range(0, len(order), AT_ONCE):
            places = order[start : start + AT_ONCE]
            found.update(zip(places, self.read_some([texts[place] for place in places]), strict=True))
        return [found[place] for place in range(len(texts))]

    def read_some(self, texts: Sequence[str]) -> list[Vector]:
        tokens = self.tokenizer.encode_batch(list(texts))
        mask = np.array([one.attention_mask for one in tokens], dtype=np.int64)
        given = {
            "input_ids": np.array([one.ids for one in tokens], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        wanted = {one.name for one in self.session.get_inputs()}
        layer = self.session.run(None, {name: given[name] for name in given if name in wanted})[0]
        found: list[Vector] = normalised(self.pooled(layer, mask)).tolist()
        return found

    def pooled(self, layer: npt.NDArray[Any], mask: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if layer.ndim == 2:
            return layer
        if self.takes_first:
            first: npt.NDArray[Any] = layer[:, 0]
            return first
        weights = mask[:, :, None].astype(np.float32)
        averaged: npt.NDArray[Any] = (layer * weights).sum(axis=1) / weights.sum(axis=1)
        return averaged


def normalised(vectors: npt.NDArray[Any]) -> npt.NDArray[Any]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: npt.NDArray[Any] = vectors / np.maximum(lengths, 1e-12)
    return made


def load(folder: Path) -> LocalEmbedder:
    """The model of a folder: `model.onnx`, `tokenizer.json`, and how to pool if its publisher says it."""
    model = next((folder / name for name in MODELS if (folder / name).is_file()), None)
    if model is None or not (folder / "tokenizer.json").is_file():
        raise ModelMissing(
            f"INSTEP_EMBEDDINGS names the folder {folder}, which lacks model.onnx or tokenizer.json: "
            "put a model exported to ONNX there, with its tokenizer."
        )
    runtime, tokenizers = package("onnxruntime"), package("tokenizers")
    options = runtime.SessionOptions()
    # Requests of others go on beside it.
    options.intra_op_num_threads = 1
    # It would keep for ever what the longest texts took: 0.9 GB instead of 0.4 with a model of 23 MB.
    options.enable_cpu_mem_arena = False
    try:
        session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:
        # Both raise errors of no common kind for a file that is not what they read.
        raise ModelMissing(f"INSTEP_EMBEDDINGS: the model in {folder} can't be read ({error}).") from None
    tokenizer.enable_truncation(MOST_TOKENS)
    tokenizer.enable_padding()
    mark = hashlib.sha256(model.read_bytes()).hexdigest()[:12]
    return LocalEmbedder(f"local:{folder.name} ({mark})", session, tokenizer, takes_first(folder))


def package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ModelMissing(
            f"INSTEP_EMBEDDINGS names a local model, which needs {name}: pip install '{EXTRA}'."
        ) from None


def takes_first(folder: Path) -> bool:
    path = folder / "1_Pooling" / "config.json"
    return path.is_file() and bool(json.loads(path.read_bytes()).get("pooling_mode_cls_token"))
