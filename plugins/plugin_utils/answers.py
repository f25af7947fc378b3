# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates the answers of nodes against the form that the modules document. No I/O.

A node may return anything, and a wrong form must fail that node only. Therefore the task that records the node's answer also
validates it, so that later computations on the cluster's inventory host can't fail.
"""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of

Form = t.Any
"""A type, a predicate, several types or predicates, a dictionary of forms, or a list with the form of its items."""
TEXT_OR_NONE = (str, type(None))


def is_time(value: t.Any) -> bool:
    """Whether the value is a text with a time and its offset from UTC."""
    try:
        return isinstance(value, str) and moment_of(value).tzinfo is not None
    except ValueError:
        return False


LOGIN_INFO: Form = {
    "accounts": [
        {
            "name": str,
            "uid": int,
            "closed": bool,
            "password_login": bool,
            "authorized_keys": [
                {"type": str, "fingerprint": str, "comment": str, "options": str, "expires": TEXT_OR_NONE, "place": str}
            ],
            "last_login": ({"time": is_time}, type(None)),
        }
    ],
    "history_since": (is_time, type(None)),
    "unread": [str],
}
"""The form of the answer of the module login_info."""


class WrongForm(ValueError):
    """The answer does not have the documented form; the message names the place of the difference."""


def checked(value: t.Any, form: Form, place: str = "answer") -> t.Any:
    """The value, if it has the form.

    :raises WrongForm: for a value with a different form.
    """
    problem = _problem(value, form, place)
    if problem:
        raise WrongForm(f"the node's answer does not have the form that its module documents: {problem}")
    return value


def _problem(value: t.Any, form: Form, place: str) -> str:
    if isinstance(form, dict):
        return _of_fields(value, form, place)
    if isinstance(form, list):
        if not isinstance(value, (list, tuple)):
            return f"{place} is not a list"
        return next(filter(None, (_problem(each, form[0], f"{place}[{index}]") for index, each in enumerate(value))), "")
    forms = form if isinstance(form, tuple) else (form,)
    if any(_fits(value, each, place) for each in forms):
        return ""
    return f"{place} has a wrong type"


def _of_fields(value: t.Any, form: dict[str, Form], place: str) -> str:
    if not isinstance(value, t.Mapping):
        return f"{place} is not a dictionary"
    for name, of_field in form.items():
        if name not in value:
            return f"{place}.{name} is missing"
        problem = _problem(value[name], of_field, f"{place}.{name}")
        if problem:
            return problem
    return ""


def _fits(value: t.Any, form: Form, place: str) -> bool:
    if isinstance(form, (dict, list)):
        return not _problem(value, form, place)
    if not isinstance(form, type):
        return bool(form(value))
    return isinstance(value, form) and (form is bool or not isinstance(value, bool))
