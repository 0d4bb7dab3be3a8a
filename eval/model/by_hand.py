"""A language model that people answer in files: what a prompt is worth can be measured without a provider."""

from pathlib import Path

from eval.model.recorded import digest_of
from instep.platform.llm.protocol import Completion, CompletionError, OnText, Prompt, estimate_tokens


class HandModel:
    """Writes each new prompt to `NNN.prompt.txt` of a folder, and completes it from `NNN.answer.txt`."""

    name = "by hand"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.missing = self.tokens = 0
        folder.mkdir(parents=True, exist_ok=True)
        digests = sorted(folder.glob("*.digest"))
        self.numbers = {path.read_text(): path.stem for path in digests}

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        digest = digest_of(prompt)
        if digest not in self.numbers:
            number = self.numbers[digest] = f"{len(self.numbers) + 1:03}"
            (self.folder / f"{number}.prompt.txt").write_text(f"{prompt.system}\n\n{prompt.user}\n")
            (self.folder / f"{number}.digest").write_text(digest)
        answer = self.folder / f"{self.numbers[digest]}.answer.txt"
        if not answer.is_file():
            self.missing += 1
            raise CompletionError("Nobody has answered this prompt yet.", 0)
        text = answer.read_text()
        tokens = estimate_tokens(prompt.system, prompt.user, text)
        self.tokens += tokens
        return Completion(text, tokens)
