# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What a module expects to go wrong, and the one form of words for input that is refused."""

from __future__ import annotations

import typing as t

from .finding import Finding, failure

_LONGEST_VALUE = 120


class Failure(Exception):
    """Expected to happen; its text is a sentence for the operator. The error boundary of a module makes it the result."""

    code = "module-failed"

    def finding(self) -> Finding:
        return failure(self.code, str(self))


class Refused(Failure):
    """Input that is wrong in itself or against the observed state; raised before anything changes."""

    code = "option-refused"

    def __init__(self, text: str = "", *, option: str = "", code: str = "") -> None:
        super().__init__(text)
        self.option = option
        self.code = code or type(self).code

    def finding(self) -> Finding:
        return failure(self.code, str(self), subject=self.option)


class Incomplete(Failure):
    """A step was done in part; ``done`` are the changes that were made."""

    def __init__(self, text: str, done: tuple[t.Any, ...]) -> None:
        super().__init__(text)
        self.done = done


class LostRace(Exception):
    """A concurrent writer created the resource between our read and our attempt."""


class Postponed(Exception):
    """A step that can't be done yet. It changed nothing, the steps after it go on, and a later run does it."""


def refusal_text(option: str, shown: str, allowed: str, why: str = "") -> str:
    """The common form of a refusal.

    :param shown: the value as it is shown, or its kind.
    :param allowed: the allowed values, as a noun or a list.
    :param why: further context, such as the value it was compared with.
    """
    return f"{option}: {shown} is not allowed{why and ': '}{why}. Allowed: {allowed}."


def not_allowed(option: str, value: t.Any, allowed: str, why: str = "") -> str:
    """The one sentence that refuses a value: option, value (short, printable, never a private key), allowed values."""
    shown = repr(value)
    if "PRIVATE KEY" in shown:
        shown = "'a private key'"
    elif len(shown) > _LONGEST_VALUE:
        shown = f"{shown[:_LONGEST_VALUE]}…"
    return refusal_text(option, shown, allowed, why)


def refuse_option(option: str, value: t.Any, allowed: str, why: str = "") -> t.NoReturn:
    """Refuse ``value`` for ``option`` by ``not_allowed``."""
    raise Refused(not_allowed(option, value, allowed, why), option=option)


def refuse_shown(option: str, shown: str, allowed: str, why: str = "") -> t.NoReturn:
    """Refuse a value that is shown as its kind or fingerprint, since it is long or secret, and so is the cause."""
    raise Refused(refusal_text(option, shown, allowed, why), option=option) from None
