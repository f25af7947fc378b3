# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Compares the observed with the desired image, without I/O."""

from __future__ import annotations

import dataclasses

from ..._core.failure import refuse_option
from ..._core.plan import Change, Plan, Step
from .model import NEW, Desired, Image, State

BUILD, TAG = "build", "PutImage"


def plan(desired: Desired, state: State) -> Plan:
    """
    :raises Refused: if another image has the tag, and the tag is immutable.
    """
    if state.in_place:
        return Plan()
    if state.tagged is not None and state.repository.is_immutable(desired.tag):
        why = f"image {state.tagged.digest} was built from other contents and has this tag, which is immutable"
        refuse_option("tag", desired.tag, "a tag that no image has yet", why)
    steps = []
    image = state.source
    if image is None:
        image = NEW
        created = Change("create", desired.built, after=image.digest)
        steps.append(Step(BUILD, {}, (created,), effect=lambda seen: dataclasses.replace(seen, source=NEW)))
    return Plan((*steps, _tag_step(desired, state, image)))


def _tag_step(desired: Desired, state: State, image: Image) -> Step:
    before = state.tagged.digest if state.tagged else None
    change = Change("update" if before else "create", desired.resource, "digest", before, image.digest)
    return Step(TAG, {"imageTag": desired.tag}, (change,), effect=lambda seen: dataclasses.replace(seen, tagged=seen.source))
