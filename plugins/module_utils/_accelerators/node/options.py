# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of the modules that check accelerators."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._core.failure import refuse_option

SECONDS = (1, 300)
SPEC: dict[str, dict[str, t.Any]] = {
    "timeout": {"type": "int", "default": 30},
    "host_root": {"type": "str", "default": "/"},
    "sysfs_root": {"type": "str", "default": "/sys"},
    "proc_root": {"type": "str", "default": "/proc"},
    "kernel_log": {"type": "str", "default": ""},
}


@dataclass(frozen=True)
class Places:
    """The paths of the node's files, which differ if the node's root is mounted into a container."""

    root: str = "/"
    sysfs: str = "/sys"
    proc: str = "/proc"
    kernel_log: str = ""
    """A file like /dev/kmsg, which is read instead of the journal and the node's own buffer; empty to read these."""


def places(params: t.Mapping[str, t.Any]) -> Places:
    for option in ("host_root", "sysfs_root", "proc_root"):
        if not params[option].startswith("/"):
            refuse_option(option, params[option], "an absolute path")
    if params["kernel_log"] and not params["kernel_log"].startswith("/"):
        refuse_option("kernel_log", params["kernel_log"], "an absolute path, or an empty string")
    return Places(params["host_root"], params["sysfs_root"].rstrip("/"), params["proc_root"].rstrip("/"), params["kernel_log"])


def seconds(params: t.Mapping[str, t.Any]) -> int:
    lowest, highest = SECONDS
    if not lowest <= params["timeout"] <= highest:
        refuse_option("timeout", params["timeout"], f"a number of seconds from {lowest} to {highest}")
    return int(params["timeout"])
