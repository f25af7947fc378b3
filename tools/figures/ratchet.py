"""A ceiling that a figure may not exceed, and that follows it down."""

from __future__ import annotations

import typing as t

from .house import House

Figure = t.Callable[[House], float | list[str]]
SLACK = 0.05
"""A ceiling further than this share above its figure is forgotten, and must come down."""


def number(figure: Figure, house: House) -> float:
    """Places are counted."""
    found = figure(house)
    return len(found) if isinstance(found, list) else round(found, 3)


def problem(name: str, value: float, ceiling: float) -> str | None:
    """What is to be done, if anything is."""
    if value > ceiling:
        return f"{name} is {value:.4g}, the ceiling is {ceiling:.4g}: `tools/house.py --show {name}` lists all places"
    if value < ceiling * (1 - SLACK):
        return f"{name} is {value:.4g}: lower its ceiling from {ceiling:.4g}, so that it stays so"
    return None
