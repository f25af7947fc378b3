"""Figures on Jinja in YAML: expressions and sentences, read with Jinja's own lexer."""

from __future__ import annotations

import functools
import re
import typing as t
from dataclasses import dataclass

import jinja2

from .house import Found, House

Token = tuple[str, str]
BARE = frozenset({"when", "that", "until", "failed_when", "changed_when", "break_when"})
"""Keys whose texts are expressions without braces."""
MESSAGES = frozenset({"fail_msg", "success_msg", "msg"})
REPORT = "hyperpod_report"
SENTENCES = frozenset({"pending", "failures", "notes", "skipped"})
"""Keys of a report with sentences; others have paths and numbers."""
MANY = 2
ENVIRONMENT = jinja2.Environment()
ENDS = frozenset({"variable_end", "block_end"})
MARKS = ENDS | {"variable_begin", "block_begin"}
NAME = re.compile(r"\{\{-?\s*[A-Za-z_]\w*(\.\w+|\['\w+'\]|\[\w+\])*\s*-?\}\}")
"""A plain value by its name."""


@dataclass(frozen=True)
class Expression:
    """The text between braces, or a condition."""

    place: str
    tokens: tuple[Token, ...]
    bare: bool

    @property
    def filters(self) -> int:
        return self.tokens.count(("operator", "|"))

    @property
    def extracts(self) -> int:
        start = (("operator", "|"), ("name", "map"), ("operator", "("), ("string", "extract"))
        return sum(self.tokens[at : at + len(start)] == start for at in range(len(self.tokens)))


def _tokens(text: str) -> t.Iterator[Token]:
    for _line, kind, value in ENVIRONMENT.lex(text):
        if kind != "whitespace":
            yield kind, value[1:-1] if kind == "string" else value


def expressions_of(text: str, *, place: str, bare: bool) -> t.Iterator[Expression]:
    inside: list[Token] = []
    for token in _tokens("{{ " + text + " }}" if bare else text):
        if token[0] in ENDS:
            yield Expression(place, tuple(inside), bare)
        inside = [] if token[0] in MARKS else [*inside, token]


def _is_bare(found: Found) -> bool:
    return bool(found.keys) and found.keys[-1] in BARE and "{{" not in (found.text or "")


@functools.lru_cache(maxsize=4)
def _all(house: House) -> tuple[Expression, ...]:
    return tuple(
        expression
        for found in house.yaml
        if found.text is not None
        for expression in expressions_of(found.text, place=found.place, bare=_is_bare(found))
    )


def _braced(house: House) -> list[Expression]:
    return [each for each in _all(house) if not each.bare]


def _repeated(pairs: t.Iterable[tuple[str, int]]) -> list[str]:
    return [place for place, times in pairs for _time in range(times)]


def expressions(house: House) -> list[str]:
    """Pairs of {{ }} (and {% %}) in the YAML of roles/ and playbooks/; comments do not count."""
    return [each.place for each in _braced(house)]


def filters(house: House) -> list[str]:
    """Filter pipes inside {{ }} in the YAML of roles/ and playbooks/. A | inside quotes is text, not a filter."""
    return _repeated((each.place, each.filters) for each in _braced(house))


def over_two_filters(house: House) -> list[str]:
    """Pairs of {{ }} with more than two filter pipes at any position."""
    return [each.place for each in _braced(house) if each.filters > MANY]


def filters_in_conditions(house: House) -> list[str]:
    """Filter pipes in when, that, until, failed_when, changed_when and break_when, which have no {{ }}."""
    return _repeated((each.place, each.filters) for each in _all(house) if each.bare)


def extract_chains(house: House) -> list[str]:
    """Each ``map('extract'``, in {{ }} and in conditions."""
    return _repeated((each.place, each.extracts) for each in _all(house))


def _is_sentence(found: Found) -> bool:
    if REPORT in found.keys:
        return bool(SENTENCES & set(found.keys[found.keys.index(REPORT) + 1 :]))
    return bool(found.keys) and found.keys[-1] in MESSAGES


def _sentences(house: House) -> list[tuple[str, str]]:
    texts = [(found.place, found.text) for found in house.yaml if _is_sentence(found)]
    return [(place, text) for place, text in texts if text and list(expressions_of(text, place=place, bare=False))]


def sentences(house: House) -> list[str]:
    """Texts with an expression in them, under fail_msg, success_msg or msg, or under pending, failures, notes or skipped of a
    hyperpod_report. Each entry of a list is one text.
    """
    return [place for place, _text in _sentences(house)]


def sentences_made(house: House) -> list[str]:
    """Members of ``sentences`` that are not just one {{ name.of.a.value }}: those with words, filters, calls or conditions."""
    return [place for place, text in _sentences(house) if not NAME.fullmatch(text.strip())]
