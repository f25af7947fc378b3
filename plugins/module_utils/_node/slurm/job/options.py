# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``slurm_job``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import pwd
import re
import typing as t

from ...._core.checks import check_number
from ...._core.failure import Refused, refuse_option
from .directives import several
from .model import LONGEST_WAIT, NONE, PLACEMENTS, PRESENT, QUERY, REQUIRED, STAGES, Desired

SPEC: dict[str, dict[str, t.Any]] = {
    "state": {"type": "str", "choices": [PRESENT, "absent", QUERY], "default": PRESENT},
    "name": {"type": "str", "required": True},
    "user": {"type": "str", "required": True},
    "script": {"type": "str", "default": "", "no_log": True},
    "nodes": {"type": "int", "default": 1},
    "partition": {"type": "str", "default": ""},
    "working_directory": {"type": "str", "default": ""},
    "placement": {"type": "str", "choices": list(PLACEMENTS), "default": NONE},
    "switches": {"type": "int", "default": 1},
    "switches_wait": {"type": "int"},
    "leaves": {"type": "int", "default": 0},
    "replace": {"type": "bool", "default": False},
    "force": {"type": "bool", "default": False},
    "wait": {"type": "str", "choices": list(STAGES), "default": "running"},
    "wait_timeout": {"type": "int", "default": 1800},
    "poll_interval": {"type": "int", "default": 10},
}
RANGES = {
    "nodes": (1, 10_000),
    "switches": (1, 1000),
    "leaves": (0, 10_000),
    "wait_timeout": (0, LONGEST_WAIT),
    "poll_interval": (1, 300),
}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
NAME_ALLOWED = "1 to 64 letters, digits, _, . and -, beginning with a letter or a digit"
USER = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
PATH = re.compile(r"/[^\x00-\x1f\x7f%\\]{0,1000}")
LONGEST_SCRIPT = 4_000_000
"""In bytes. slurmctld accepts 4 MiB unless ``max_script_size`` in ``SchedulerParameters`` sets a different limit."""


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option, and for a user without an account on this node."""
    for option, (least, most) in RANGES.items():
        check_number(option, params[option], least, most)
    if not NAME.fullmatch(params["name"]):
        refuse_option("name", params["name"], NAME_ALLOWED)
    if params["partition"] and not NAME.fullmatch(params["partition"]):
        refuse_option("partition", params["partition"], NAME_ALLOWED)
    if params["working_directory"] and not PATH.fullmatch(params["working_directory"]):
        allowed = "an absolute path without % and \\, which Slurm would replace"
        refuse_option("working_directory", params["working_directory"], allowed)
    given = {name: params[name] for name in ("state", "name", "user", "nodes", "partition", "leaves", "replace", "force")}
    known = _known(params["user"])
    where = params["working_directory"] or known.pw_dir
    wish = _wish(params)
    return Desired(uid=known.pw_uid, script=_script(params), working_directory=where, **given, **wish)


def _known(user: str) -> pwd.struct_passwd:
    if not USER.fullmatch(user):
        refuse_option("user", user, "1 to 32 characters of a-z, 0-9, _ and -, beginning with a letter or _")
    try:
        return pwd.getpwnam(user)
    except KeyError:
        refuse_option("user", user, "an account of this node", "this node has no such account")


def _wish(params: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    placement, wait = params["placement"], params["switches_wait"]
    if placement == NONE:
        if wait is not None:
            refuse_option("switches_wait", wait, "no value with placement=none")
        return {"placement": NONE}
    if wait is not None:
        check_number("switches_wait", wait, 1, LONGEST_WAIT)
    longest = LONGEST_WAIT if placement == REQUIRED else 0
    return {"placement": placement, "switches": params["switches"], "switches_wait": wait or longest}


def _script(params: t.Mapping[str, t.Any]) -> str:
    script: str = params["script"]
    if params["state"] != PRESENT:
        return script
    if not script.startswith("#!"):
        problem = "missing" if not script else "it does not begin with #!"
        raise Refused(f"script: {problem}; a batch script starts with a line that names the interpreter.", option="script")
    if "\0" in script or "\r\n" in script or "\r" in script.partition("\n")[0]:
        problem = "it has null bytes, or DOS or old Mac line ends, which sbatch does not accept"
        raise Refused(f"script: {problem}; end its lines with line feeds.", option="script")
    if len(script.encode()) > LONGEST_SCRIPT:
        raise Refused(f"script: it is too long; at most {LONGEST_SCRIPT} bytes are allowed.", option="script")
    found = several(script)
    if found:
        allowed = "a script that submits one job, so that its placement can be verified"
        refuse_option("script", found.text, allowed, f"line {found.line} requests several jobs")
    return script
