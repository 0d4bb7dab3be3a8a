"""Chooses the language model that a run asks, or the recorded answers that it uses."""

import os
import sys
from argparse import Namespace

from eval.model.by_hand import HandModel
from instep.platform.core.config import SettingsError, settings


def chosen_model(options: Namespace) -> str | None:
    """The name of the model that `--model` or the settings name; without one None, and a reason on stderr."""
    if options.by_hand:
        return HandModel.name
    if options.model and not options.replay:
        os.environ["INSTEP_MODEL"] = options.model
    try:
        name: str | None = options.model if options.replay else settings().model
    except SettingsError as error:
        print(error, file=sys.stderr)
        return None
    if not name:
        print("No language model is set: name it with --model, or set INSTEP_MODEL.", file=sys.stderr)
    return name or None
