# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of each role, computed from variables. Each role has a file or package with the role's name. No I/O."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import typing as t

Variables = t.Mapping[str, t.Any]
"""Variables of the current host, keyed by name. Use ``get`` for variables that may be undefined."""
View = t.Callable[[Variables], t.Any]
"""Computes a value, or a frozen dataclass of several values, for tasks."""
Made = t.TypeVar("Made", bound=View)
ROLES = frozenset(each.name for each in pkgutil.iter_modules(__path__))
_views: dict[str, dict[str, View]] = {role: {} for role in ROLES}


def view(function: Made) -> Made:
    """Decorate a view. The name of the view must be unique in its role."""
    role = function.__module__.removeprefix(f"{__name__}.").partition(".")[0]
    if _views[role].setdefault(function.__name__, function) is not function:
        raise ValueError(f"The role {role} has two views with the name {function.__name__}.")
    return function


def of_role(role: str) -> t.Mapping[str, View]:
    """The views of a role, keyed by name.

    :raises KeyError: for a role without views.
    """
    views = _views[role]
    load(role)
    return views


@functools.cache
def load(role: str) -> None:
    """Import a role's views. If ansible-playbook's own process does this first, its forks (one for each task and host) need not."""
    if role in ROLES:
        module = importlib.import_module(f"{__name__}.{role}")
        for each in pkgutil.iter_modules(getattr(module, "__path__", ())):
            importlib.import_module(f"{module.__name__}.{each.name}")
