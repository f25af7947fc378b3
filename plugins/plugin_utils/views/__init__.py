# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of each role need, computed from variables. A file a role, named as the role; pure."""

from __future__ import annotations

import importlib
import pkgutil
import typing as t

Variables = t.Mapping[str, t.Any]
"""Variables of the current host by name. ``get`` is for what may be undefined."""
View = t.Callable[[Variables], t.Any]
"""Makes a frozen dataclass, whose fields are what tasks read."""
ROLES = frozenset(each.name for each in pkgutil.iter_modules(__path__))


def named(name: str) -> View:
    """
    :param name: ``ROLE.VIEW``.
    """
    role, _dot, view = name.partition(".")
    found: dict[str, View] = {each.__name__: each for each in _of(role)}
    return found[view]


def load(role: str) -> None:
    """In the process of ansible-playbook: each task of each host runs in a fork, which would have to import the views again."""
    if role in ROLES:
        _of(role)


def _of(role: str) -> t.Sequence[View]:
    views: t.Sequence[View] = importlib.import_module(f"{__name__}.{role}").VIEWS
    return views
