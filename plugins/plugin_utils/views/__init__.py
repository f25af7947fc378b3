# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of each role need, computed from variables. A file a role, named as the role; pure."""

from __future__ import annotations

import functools
import importlib
import multiprocessing
import pkgutil
import typing as t

Variables = t.Mapping[str, t.Any]
"""Variables of the current host by name. ``get`` is for what may be undefined."""
View = t.Callable[[Variables], t.Any]
"""Makes a frozen dataclass, whose fields are what tasks read."""


def named(name: str) -> View:
    """
    :param name: ``ROLE.VIEW``.
    """
    if multiprocessing.parent_process() is None:
        _load_all()
    role, _dot, view = name.partition(".")
    found: dict[str, View] = {each.__name__: each for each in importlib.import_module(f"{__name__}.{role}").VIEWS}
    return found[view]


@functools.cache
def _load_all() -> None:
    """Once, in ansible-playbook's own process: each task of each host runs in a fork of it, which would load its views anew."""
    for each in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{each.name}")
