# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by tests of repairs: nodes that need a repair, codes of findings, and removal of earlier records."""

from __future__ import annotations

import typing as t

from harness import World
from lab.accelerators.story import Story, healthy, off_the_bus

TYPE = "ml.p5.48xlarge"


def broken() -> Story:
    """A node that a reboot repairs."""
    return off_the_bus(healthy(TYPE), 3)


def doomed() -> Story:
    """A node that no reboot repairs."""
    story = healthy(TYPE)
    story.gpus[3].elements["remapped_rows/remapped_row_failure"] = "Yes"
    return story


def forget_repairs(world: World) -> None:
    ssm = world.aws("ssm")
    pages = ssm.get_paginator("get_parameters_by_path").paginate(Path="/mlfleet/hyperpod/", Recursive=True)
    for name in [each["Name"] for page in pages for each in page["Parameters"] if "/records/repaired/" in each["Name"]]:
        ssm.delete_parameter(Name=name)


def codes(run: t.Any, kind: str) -> list[str]:
    return [each["code"] for each in run.report["clusters"]["ml"]["findings"] if each["kind"] == kind]
