"""A language model whose answers are kept in files, so that a run can be repeated without it."""

import hashlib
import json
import re
from pathlib import Path

from instep.platform.llm.protocol import Completion, CompletionError, Model, OnText, Prompt

NOT_RECORDED = "Its answer is not recorded."
USED_UP = "The tokens of this run are used up."


class RecordedModel:
    """Answers from `folder`; with a `model` it asks for what is missing, for at most `max_tokens` in all.

    Each answer is a file named after a digest of its prompt. Failures are not kept: they are asked again.
    """

    def __init__(self, name: str, folder: Path, model: Model | None = None, max_tokens: int = 0) -> None:
        self.name = name
        self.folder = folder / re.sub(r"[^\w.-]+", "-", name)
        self.model = model
        self.tokens_left = max_tokens
        self.asked = self.replayed = self.refused = self.tokens = 0

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        path = self.folder / f"{digest_of(prompt)}.json"
        if path.is_file():
            answer = json.loads(path.read_text("utf-8"))
            self.replayed += 1
            self.tokens += answer["total_tokens"] or 0
            return Completion(answer["text"], answer["total_tokens"])
        completion = await self._ask(prompt)
        self.folder.mkdir(parents=True, exist_ok=True)
        answer = {"text": completion.text, "total_tokens": completion.total_tokens}
        unfinished = path.with_suffix(".new")
        unfinished.write_text(json.dumps(answer, ensure_ascii=False, indent=1), "utf-8")
        unfinished.replace(path)
        return completion

    async def _ask(self, prompt: Prompt) -> Completion:
        """The answer of the model itself. The most that it may take is reserved, then what it took counts."""
        if self.model is None or prompt.max_total_tokens > self.tokens_left:
            self.refused += 1
            raise CompletionError(NOT_RECORDED if self.model is None else USED_UP, 0)
        used_tokens: int | None = None
        self.tokens_left -= prompt.max_total_tokens
        try:
            completion = await self.model.complete(prompt)
            used_tokens = completion.total_tokens
        except CompletionError as error:
            self.refused += 1
            used_tokens = error.total_tokens
            raise
        finally:
            if used_tokens is not None:
                self.tokens_left += prompt.max_total_tokens - used_tokens
                self.tokens += used_tokens
        self.asked += 1
        return completion


def digest_of(prompt: Prompt) -> str:
    """A digest of everything that a provider is sent, but the name of the model."""
    parts = [prompt.system, prompt.user, prompt.schema, prompt.max_output_tokens]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
