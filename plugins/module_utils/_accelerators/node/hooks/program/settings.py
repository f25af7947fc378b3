# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings from the module: the expected devices and the thresholds. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import json
import os
import typing as t

from ....._core.expected_devices import Expected
from ...health.options import SPEC, wanted
from ...health.profile import Profile, profile

NAME = "slurm-health.json"
Settings = t.Mapping[str, t.Any]


def text_of(params: Settings) -> str:
    """:raises Refused: for the first invalid option."""
    given = {name: params[name] for name in SPEC}
    limits(given, "/sys")
    return json.dumps(given, indent=1, sort_keys=True) + "\n"


def read(folder: str) -> Settings:
    with open(os.path.join(folder, NAME), encoding="utf-8") as stream:
        found: Settings = json.load(stream)
    return found


def limits(settings: Settings, sysfs: str) -> tuple[Expected, Profile]:
    return wanted(settings, sysfs), profile(settings)
