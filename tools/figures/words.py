"""Dialect words in texts for people: each is counted, so that its number can only decrease."""

from __future__ import annotations

import ast
import re
import typing as t

from .house import House
from .roles import named

DIALECT: t.Mapping[str, str] = {
    "told": r"told|tells?|telling",
    "nobody": r"nobody|somebody|whoever|whom",
    "what_is": r"what (?:is|are|was|were|has|had)",
    "is_to": r"(?:is|are|was|were) to|shall",
    "anew": r"anew|beside",
    "goes_by": r"goes? by|comes? to|stands? (?:in|for|beside)|has none|is none|have none",
    "of_which": r"of which|of whom|by which|to which|with which",
}
"""Names of dialect words or phrases, and their patterns for whole words in any case."""
READ = ("README.md", "CONTRIBUTING.md", "docs/**/*.md")
MESSAGES = frozenset({"msg", "fail_msg", "success_msg"})


def _documents(house: House) -> t.Iterator[tuple[str, str]]:
    for path in house.files(*READ):
        yield from ((f"{house.name(path)}:{number}", line) for number, line in enumerate(path.read_text().splitlines(), 1))


def _tasks(house: House) -> t.Iterator[tuple[str, str]]:
    """Names of tasks, and messages of tasks."""
    yield from named(house)
    for found in house.yaml:
        if found.keys and found.keys[-1] in MESSAGES and found.text:
            yield found.place, found.text


def _python(house: House) -> t.Iterator[tuple[str, str]]:
    """Texts with a space (docstrings, messages, documentation), and names with spaces instead of underscores."""
    for file, parsed in house.code.items():
        for node in ast.walk(parsed):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield f"{file}:{node.lineno}", node.value
            else:
                for attribute in ("name", "id", "attr", "arg"):
                    name = getattr(node, attribute, None)
                    if isinstance(name, str):
                        yield f"{file}:{getattr(node, 'lineno', 0)}", name.replace("_", " ")


def places(house: House, word: str) -> list[str]:
    """Places of a word of DIALECT, one for each occurrence."""
    pattern = re.compile(rf"\b(?:{DIALECT[word]})\b", re.IGNORECASE)
    return [place for text in (_documents, _tasks, _python) for place, words in text(house) for _each in pattern.finditer(words)]


def dialect(house: House) -> dict[str, int]:
    """Number of words of DIALECT in documents, task names, messages, documentation, docstrings and Python names."""
    return {word: len(places(house, word)) for word in DIALECT}
