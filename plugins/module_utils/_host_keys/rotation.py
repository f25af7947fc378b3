# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Rotation of shared host keys: how it moves the sets of keys, and when it is refused.

The content of a secret is a mapping with ``generation``, ``created`` and ``keys``. It may also contain the sets ``next`` and
``previous`` in the same form. The functions here move whole sets and never read a private key. So they work on the content
itself and on its printable view (``view``), which has a fingerprint in place of each private key.
"""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from .._core.failure import refuse_option
from .._core.plan import Secret
from .._core.times import iso_seconds, moment_of

START, FINISH, ROLLBACK, EMERGENCY, SETTLE = "start", "finish", "rollback", "emergency", "settle"
ROTATIONS = (START, FINISH, ROLLBACK, EMERGENCY, SETTLE)
MINIMUM_DAYS = 30
LONGEST_DAYS = 3650

Content = t.Mapping[str, t.Any]
_OF_SET = ("generation", "created", "retired", "settled", "keys")


@dataclass(frozen=True)
class Rotation:
    """The rotation options."""

    kind: str
    now: datetime.datetime
    minimum_days: int = MINIMUM_DAYS
    force: bool = False


def view(content: Content) -> Content:
    """The content with a fingerprint in place of each private key."""
    shown = {**content, "keys": _shown(content["keys"])}
    for name in ("next", "previous"):
        if content.get(name):
            shown[name] = {**content[name], "keys": _shown(content[name]["keys"])}
    return shown


def is_due(content: Content, rotation: Rotation) -> bool:
    """Whether the rotation requires a change. False if it is already completed.

    :raises Refused: for a finish without a start, or before the minimum number of days.
    """
    following, previous = content.get("next"), content.get("previous")
    if rotation.kind == START:
        return not following
    if rotation.kind == FINISH:
        if not following and not is_usable(previous):
            refuse_option("rotation", FINISH, "'start' first", "no rotation was started")
        if following:
            _check_age(following, rotation)
        return bool(following)
    if rotation.kind == ROLLBACK:
        return bool(following) or is_usable(previous)
    if rotation.kind == SETTLE:
        return bool(previous and not previous.get("settled"))
    return True


def arrange(content: Content, kind: str, *, now: str, made: Content | None = None) -> Content:
    """The content after a rotation that is due.

    :param made: the keys of the set that the rotation creates, if it creates one.
    """
    current, following, previous = _set_of(content), content.get("next"), content.get("previous")
    if kind == START:
        unsettled = previous if previous and not previous.get("settled") else None
        return _content(content, current, _new(content, made, now), _public_only(unsettled))
    if kind == FINISH:
        return _content(content, content["next"], None, {**current, "retired": now})
    if kind == EMERGENCY:
        return _content(content, _new(content, made, now), None, _public_only({**current, "retired": now}))
    if kind == SETTLE:
        return _content(content, current, following, {**previous, "settled": now} if previous and is_usable(previous) else None)
    if following:
        return _content(content, current, None, previous)
    restored = {key: value for key, value in content["previous"].items() if key not in ("retired", "settled")}
    return _content(content, restored, None, _public_only({**current, "retired": now}))


def is_usable(keys: Content | None) -> bool:
    """Whether the set can be restored, which requires its private keys."""
    return bool(keys and all(pair.get("private") for pair in keys["keys"].values()))


def makes_keys(kind: str) -> bool:
    return kind in (START, EMERGENCY)


def finish_from(following: Content, minimum_days: int) -> datetime.datetime:
    return moment_of(following["created"]) + datetime.timedelta(days=minimum_days)


def _check_age(following: Content, rotation: Rotation) -> None:
    due = finish_from(following, rotation.minimum_days)
    if rotation.now < due and not rotation.force:
        refuse_option(
            "rotation",
            FINISH,
            f"'finish' from {iso_seconds(due)} on, or earlier with force, after which clients that have not connected since the "
            "start refuse the nodes",
            f"the new keys have been announced only since {following['created']}, and clients have {rotation.minimum_days} days "
            "to connect once",
        )


def _new(content: Content, made: Content | None, now: str) -> Content:
    sets = (content, content.get("next") or {}, content.get("previous") or {})
    return {"generation": max(each.get("generation", 1) for each in sets) + 1, "created": now, "keys": made or {}}


def _content(old: Content, current: Content, following: Content | None, previous: Content | None) -> Content:
    kept = {key: value for key, value in old.items() if key not in (*_OF_SET, "next", "previous")}
    sets = {name: each for name, each in (("next", following), ("previous", previous)) if each}
    return {**kept, **current, **sets}


def _set_of(content: Content) -> Content:
    return {"generation": 1, **{key: content[key] for key in _OF_SET if key in content}}


def _public_only(keys: Content | None) -> Content | None:
    if not keys:
        return None
    return {**keys, "keys": {key_type: {"public": pair["public"]} for key_type, pair in keys["keys"].items()}}


def _shown(pairs: Content) -> Content:
    return {
        key_type: {name: Secret.of(text) if name == "private" else text for name, text in pair.items()}
        for key_type, pair in pairs.items()
    }
