# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of jobs."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.options import LONGEST_SCRIPT, SPEC, desired

SCRIPT = "#!/bin/sh\n#SBATCH --time=1:00\ntrue\n"
WEEK = 604_800
PARAMS: dict[str, t.Any] = {
    **{name: spec.get("default") for name, spec in SPEC.items()},
    "name": "llama",
    "user": "root",
    "script": SCRIPT,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given})


def test_default_options() -> None:
    assert wanted() == Desired("present", "llama", "root", 0, SCRIPT, working_directory="/root")


def test_all_options_are_read() -> None:
    given: dict[str, t.Any] = {"nodes": 4, "partition": "gpus", "working_directory": "/fsx/a b", "leaves": 3, "replace": True, "force": True}
    assert wanted(**given, state="absent", script="") == Desired("absent", "llama", "root", 0, "", **given)


@pytest.mark.parametrize(
    ("given", "placement", "switches", "seconds"),
    [
        ({}, "none", 0, 0),
        ({"placement": "required"}, "required", 1, WEEK),
        ({"placement": "required", "switches": 1000, "switches_wait": 1}, "required", 1000, 1),
        ({"placement": "preferred", "switches": 2}, "preferred", 2, 0),
        ({"placement": "preferred", "switches_wait": WEEK}, "preferred", 1, WEEK),
    ],
)
def test_a_placement_sets_the_limit_of_switches(given: dict[str, t.Any], placement: str, switches: int, seconds: int) -> None:
    found = wanted(**given)
    assert (found.placement, found.switches, found.switches_wait) == (placement, switches, seconds)


@pytest.mark.parametrize("script", ["#!x", "#!/bin/sh\nprintf '\r'\n", "#!" + "x" * (LONGEST_SCRIPT - 2)], ids=["short", "return", "longest"])
def test_valid_scripts_are_accepted(script: str) -> None:
    assert wanted(script=script).script == script


LIMITS = {"nodes": (1, 10_000), "switches": (1, 1000), "leaves": (0, 10_000), "wait_timeout": (0, WEEK), "poll_interval": (1, 300)}


@pytest.mark.parametrize(("option", "value"), [(option, value) for option, ends in LIMITS.items() for value in ends])
def test_the_ends_of_ranges_are_allowed(option: str, value: int) -> None:
    assert wanted(**{option: value})


@pytest.mark.parametrize(
    ("given", "option", "message"),
    [
        *(({option: least - 1}, option, f"{option}: {least - 1} is not allowed") for option, (least, _most) in LIMITS.items()),
        *(({option: most + 1}, option, f"{option}: {most + 1} is not allowed") for option, (_least, most) in LIMITS.items()),
        ({"name": "-a"}, "name", "beginning with a letter or a digit"),
        ({"name": "a" * 65}, "name", "beginning with a letter or a digit"),
        ({"partition": "a b"}, "partition", "beginning with a letter or a digit"),
        ({"working_directory": "fsx"}, "working_directory", "an absolute path without %"),
        ({"working_directory": "/fsx/%u"}, "working_directory", "an absolute path without %"),
        ({"working_directory": "/fsx/\\u"}, "working_directory", "an absolute path without %"),
        ({"user": "Ann"}, "user", "1 to 32 characters of a-z"),
        ({"user": "no-such-user"}, "user", "this node has no such account"),
        ({"switches_wait": 1}, "switches_wait", "no value with placement=none"),
        ({"placement": "required", "switches_wait": 0}, "switches_wait", "switches_wait: 0 is not allowed"),
        ({"placement": "required", "switches_wait": WEEK + 1}, "switches_wait", f"switches_wait: {WEEK + 1} is not allowed"),
        ({"script": ""}, "script", "script: missing"),
        ({"script": "true\n"}, "script", "it does not begin with #!"),
        ({"script": "#!/bin/sh\r\n"}, "script", "DOS or old Mac line ends"),
        ({"script": "#!/bin/sh\r#SBATCH --array=1-4\r"}, "script", "DOS or old Mac line ends"),
        ({"script": "#!/bin/sh\0"}, "script", "null bytes"),
        ({"script": "#!" + "x" * (LONGEST_SCRIPT - 1)}, "script", "it is too long; at most 4000000 bytes"),
        ({"script": "#!/bin/sh\n#SBATCH --array=1-4\n"}, "script", "'#SBATCH --array' is not allowed: line 2 requests several jobs. Allowed: .* one"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else "",
)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
