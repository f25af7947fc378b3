"""Ceilings that figures must not exceed, and that must be lowered with them."""

from __future__ import annotations

import typing as t

from .house import House

Figure = t.Callable[[House], float | list[str]]
SLACK = 0.05
"""Maximum distance of a figure below its ceiling, as a share of the ceiling; a higher ceiling must be lowered."""


def number(figure: Figure, house: House) -> float:
    """Value of a figure; for a list of places, their number."""
    found = figure(house)
    return len(found) if isinstance(found, list) else round(found, 3)


def problem(name: str, value: float, ceiling: float) -> str | None:
    """A message if the figure is above its ceiling, or too far below it."""
    if value > ceiling:
        return f"{name} is {value:.4g}, the ceiling is {ceiling:.4g}: `tools/house.py --show {name}` lists all places"
    if value < ceiling * (1 - SLACK):
        return f"{name} is {value:.4g}: lower its ceiling from {ceiling:.4g}, so that it stays low"
    return None
