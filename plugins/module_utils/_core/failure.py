# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Failures that a module expects, and the common form of the message for refused input."""

from __future__ import annotations

import typing as t

from .finding import Finding, failure

_LONGEST_VALUE = 120


class Failure(Exception):
    """An expected failure. Its text is a sentence for the operator, which a module's error boundary returns as ``msg``."""

    code = "module-failed"

    def finding(self) -> Finding:
        return failure(self.code, str(self))


class Refused(Failure):
    """Input that is invalid, or that contradicts the observed state. It is raised before any change."""

    code = "option-refused"

    def __init__(self, text: str = "", *, option: str = "", code: str = "") -> None:
        super().__init__(text)
        self.option = option
        self.code = code or type(self).code

    def finding(self) -> Finding:
        return failure(self.code, str(self), subject=self.option)


class Incomplete(Failure):
    """A step that was only partly completed. ``done`` lists the changes that were made."""

    def __init__(self, text: str, done: tuple[t.Any, ...]) -> None:
        super().__init__(text)
        self.done = done


class LostRace(Exception):
    """A concurrent writer created, changed or deleted the resource between our read and our call."""


class Postponed(Exception):
    """The step cannot be done yet and changed nothing. The steps after it continue, and a later run repeats it."""


def refusal_text(option: str, shown: str, allowed: str, why: str = "") -> str:
    """The common form of a refusal.

    :param shown: the value, or its kind, as the message shows it.
    :param allowed: the allowed values, as a noun or a list.
    :param why: the reason as a clause, such as a conflict with another option.
    """
    return f"{option}: {shown} is not allowed{why and ': '}{why}. Allowed: {allowed}."


def not_allowed(option: str, value: t.Any, allowed: str, why: str = "") -> str:
    """The text that refuses a value. A long value is shortened, and a private key is never shown."""
    shown = repr(value)
    if "PRIVATE KEY" in shown:
        shown = "'a private key'"
    elif len(shown) > _LONGEST_VALUE:
        shown = f"{shown[:_LONGEST_VALUE]}…"
    return refusal_text(option, shown, allowed, why)


def refuse_option(option: str, value: t.Any, allowed: str, why: str = "") -> t.NoReturn:
    """Refuse ``value`` for ``option`` with the text of ``not_allowed``."""
    raise Refused(not_allowed(option, value, allowed, why), option=option)


def refuse_shown(option: str, shown: str, allowed: str, why: str = "") -> t.NoReturn:
    """Refuse a long or secret value. The message has ``shown``, and the exception has no cause, which could show the value."""
    raise Refused(refusal_text(option, shown, allowed, why), option=option) from None
