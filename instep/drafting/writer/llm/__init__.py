"""The contribution of a language model: the questions to it, and the checks of its replies."""
