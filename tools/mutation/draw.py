"""A reproducible sample of mutants: the same seed and code give the same sample."""

from __future__ import annotations

import random
import typing as t
from collections import Counter, defaultdict
from pathlib import Path

from .operators import is_valid, mutants
from .places import Mutant, Source

PLUGINS = "plugins/"
DEEP = ("module_utils", "plugin_utils")
"""Folders of plugins/ whose subfolders are separate strata."""
DOCUMENTATION = "plugins/doc_fragments/"


def stratum(file: str) -> str:
    """The part of plugins/ to which a file belongs."""
    parts = file.removeprefix(PLUGINS).split("/")
    return "/".join(parts[:2] if parts[0] in DEEP and len(parts) > 2 else parts[:1])


def sources(root: Path, only: t.Sequence[str] = ()) -> list[Source]:
    """Files of plugins/, or only the named files and those in named folders."""
    names = sorted(path.relative_to(root).as_posix() for path in root.glob("plugins/**/*.py"))
    return [Source.read(root, name) for name in names if not name.startswith(DOCUMENTATION) and _is_below(name, only)]


def _is_below(name: str, only: t.Sequence[str]) -> bool:
    return not only or any(name == each or name.startswith(each.rstrip("/") + "/") for each in only)


def draw(files: t.Sequence[Source], *, count: int, seed: int) -> list[Mutant]:
    """A sample with at most one mutant per function, at least one per stratum, and rare kinds preferred."""
    found: dict[str, list[Mutant]] = defaultdict(list)
    for source in files:
        for mutant in mutants(source):
            found[stratum(source.name)].append(mutant)
    texts = {source.name: source.text for source in files}
    shares = quotas({name: len({(each.file, each.function) for each in those}) for name, those in found.items()}, count)
    return [
        mutant
        for name in sorted(shares)
        for mutant in _drawn(found[name], texts, shares[name], random.Random(f"{seed} {name}"))
    ]


def quotas(functions: t.Mapping[str, int], count: int) -> dict[str, int]:
    """Shares of ``count`` by stratum and its number of functions, at least one each if ``count`` is sufficient."""
    largest = sorted(functions, key=lambda name: (-functions[name], name))[:count]
    shares = dict.fromkeys(largest, 1)
    while sum(shares.values()) < min(count, sum(functions.values())):
        left = [name for name in largest if shares[name] < functions[name]]
        shares[max(left, key=lambda name: functions[name] / (shares[name] + 0.5))] += 1
    return shares


def _drawn(candidates: list[Mutant], texts: t.Mapping[str, str], count: int, chance: random.Random) -> list[Mutant]:
    drawn: list[Mutant] = []
    while candidates and len(drawn) < count:
        mutant = _one(candidates, chance)
        if is_valid(mutant, texts[mutant.file]):
            drawn.append(mutant)
            candidates = [each for each in candidates if (each.file, each.function) != (mutant.file, mutant.function)]
        else:
            candidates = [each for each in candidates if each != mutant]
    return drawn


def _one(candidates: list[Mutant], chance: random.Random) -> Mutant:
    kinds = Counter(each.kind for each in candidates)
    names = sorted(kinds)
    (kind,) = chance.choices(names, weights=[kinds[name] ** 0.5 for name in names])
    return chance.choice([each for each in candidates if each.kind == kind])
