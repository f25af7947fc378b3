# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The places that a check reads, its timeout, and invalid options."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.options import Places, places, seconds
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

PARAMS: dict[str, t.Any] = {"timeout": 30, "host_root": "/", "sysfs_root": "/sys", "proc_root": "/proc", "kernel_log": ""}


def wanted(**given: t.Any) -> tuple[Places, int]:
    params = {**PARAMS, **given}
    return places(params), seconds(params)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (Places(), 30)),
        ({"timeout": 1}, (Places(), 1)),
        ({"timeout": 300}, (Places(), 300)),
        (
            {"host_root": "/host", "sysfs_root": "/host/sys/", "proc_root": "/host/proc/", "kernel_log": "/log"},
            (Places("/host", "/host/sys", "/host/proc", "/log"), 30),
        ),
    ],
)
def test_valid_options_are_accepted(given: dict[str, t.Any], expected: tuple[Places, int]) -> None:
    assert wanted(**given) == expected


REFUSED = [
    ({"timeout": 0}, "timeout", "a number of seconds from 1 to 300"),
    ({"timeout": 301}, "timeout", "a number of seconds from 1 to 300"),
    ({"host_root": "host"}, "host_root", "an absolute path"),
    ({"sysfs_root": "sys"}, "sysfs_root", "an absolute path"),
    ({"proc_root": ""}, "proc_root", "an absolute path"),
    ({"kernel_log": "log"}, "kernel_log", "an absolute path, or an empty string"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
