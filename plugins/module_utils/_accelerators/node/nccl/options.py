# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``nccl_test``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t

from ...._core.checks import check_ipv4
from ...._core.failure import Refused, refuse_option
from .model import Desired
from .references import usual_bytes

SPEC: dict[str, dict[str, t.Any]] = {
    "addresses": {"type": "list", "elements": "str", "required": True},
    "instance_type": {"type": "str", "required": True},
    "gpus": {"type": "int", "required": True},
    "bytes": {"type": "int"},
    "program": {"type": "path", "default": ""},
    "mpi": {"type": "str", "default": "pmix"},
    "efa": {"type": "bool", "default": True},
    "reference": {"type": "float"},
    "floor_percent": {"type": "int", "default": 65},
    "beside_jobs": {"type": "bool", "default": False},
    "timeout": {"type": "int", "default": 600},
    "queue_timeout": {"type": "int", "default": 60},
}
RANGES = {
    "gpus": (1, 16),
    "bytes": (16 * 1024**2, 128 * 1024**3),
    "floor_percent": (1, 100),
    "timeout": (60, 3600),
    "queue_timeout": (1, 3600),
}
_PLUGIN = re.compile(r"[a-z0-9_]{1,32}")
MOST_NODES = 1024


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    check_ranges(params, RANGES)
    if params["program"] and not params["program"].startswith("/"):
        refuse_option("program", params["program"], "an absolute path")
    if not _PLUGIN.fullmatch(params["mpi"]):
        refuse_option("mpi", params["mpi"], "the name of a plugin as srun --mpi=list shows it")
    addresses = tuple(dict.fromkeys(check_ipv4("addresses", each) for each in params["addresses"]))
    if not addresses:
        raise Refused("addresses: the list is empty, but the test requires at least one node.", option="addresses")
    if len(addresses) > MOST_NODES:
        refuse_option("addresses", f"{len(addresses)} nodes", f"at most {MOST_NODES}")
    if params["gpus"] * len(addresses) == 1:
        raise Refused("gpus: a single GPU has no peer to exchange data with, so the test requires at least two.", option="gpus")
    given = {name: value for name, value in params.items() if name in SPEC and name not in ("addresses", "bytes")}
    return Desired(addresses=addresses, bytes=params["bytes"] or usual_bytes(params["instance_type"]), **given)


def check_ranges(params: t.Mapping[str, t.Any], options: t.Iterable[str]) -> None:
    """:raises Refused: for the first of these options that is out of its range, or for such a ``reference``."""
    for option in options:
        least, most = RANGES[option]
        if params[option] is not None and not least <= params[option] <= most:
            refuse_option(option, params[option], f"{least} to {most}")
    if params["reference"] is not None and not 0 < params["reference"] < 1e6:  # so no infinity and no NaN
        refuse_option("reference", params["reference"], "GB/s above 0")
