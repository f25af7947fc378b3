# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks the options of ``training_job``."""

from __future__ import annotations

import math
import re
import typing as t

from ..._core.checks import check_length, check_number, check_unique
from ..._core.failure import Refused, not_allowed, refusal_text, refuse_option, refuse_shown
from ..._kubernetes.lease import check_holder
from ..._kubernetes.names import IMAGE, IMAGE_ALLOWED, OBJECT, OBJECT_ALLOWED
from ..._kubernetes.namespace import check_name
from ..._topology.job.model import Wish
from ..._topology.job.options import LABEL, LABEL_ALLOWED
from . import token
from .model import AUTO, KINDS, RECREATED, RESTARTABLE, Desired, Program, Queue

SPEC: dict[str, dict[str, t.Any]] = {
    "nodes": {"type": "list", "elements": "str", "required": True},
    "gpus": {"type": "int", "required": True},
    "image": {"type": "str", "required": True},
    "program": {"type": "str"},
    "arguments": {"type": "list", "elements": "str", "default": []},
    "environment": {"type": "dict", "default": {}},
    "steps": {"type": "int", "default": 40},
    "resume_from": {"type": "int", "default": 0},
    "checkpoint_every": {"type": "int", "default": 20},
    "checkpoint": {"type": "str"},
    "loss_bound": {"type": "float"},
    "kill": {"type": "bool", "default": False},
    "replace_pod": {"type": "bool", "default": False},
    "remove_checkpoints": {"type": "bool", "default": False},
    "kind": {"type": "str", "choices": [AUTO, *KINDS], "default": AUTO},
    "namespace": {"type": "str", "default": "mlfleet-training"},
    "efa": {"type": "bool", "default": False},
    "claim": {"type": "str"},
    "queue": {"type": "str"},
    "priority": {"type": "str"},
    "topology": {"type": "str", "choices": ["required", "preferred"]},
    "level": {"type": "str"},
    "pull_secrets": {"type": "list", "elements": "str", "default": [], "no_log": False},
    "hugging_face_token": {"type": "str", "no_log": True},
    "queue_timeout": {"type": "int", "default": 60},
    "start_timeout": {"type": "int", "default": 900},
    "timeout": {"type": "int", "default": 600},
    "lease_holder": {"type": "str"},
}
LARGEST_PROGRAM = 512 * 1024
"""The maximum size in bytes. A ConfigMap can contain 1 MiB."""
MOST_NODES = 1024
MOST_STEPS = 100_000
FEWEST_INTERRUPTED = 4
"""The minimum number of steps of an interrupted job: it needs a checkpoint, and then a step that is lost."""
INTERRUPTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "kill": ("the launcher of a {kind} restarts no processes", RESTARTABLE),
    "replace_pod": ("the Pods of a {kind} may be created again under different names", RECREATED),
}
"""For each option: why other kinds do not support it, and the kinds that do."""
OF_JOB = {"gpus": (1, 16), "queue_timeout": (1, 86400), "start_timeout": (10, 7200), "timeout": (30, 86400)}
OF_PROGRAM = {"steps": (2, MOST_STEPS), "resume_from": (0, MOST_STEPS), "checkpoint_every": (1, MOST_STEPS)}
OF_SOURCE = ("resume_from", "loss_bound", "remove_checkpoints", *INTERRUPTIONS)
"""Options that require ``program``, because a program in the image does not report its steps."""
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
LONGEST_VALUE = 4096
"""The maximum length of a variable's value, in characters."""
RESERVED = re.compile(r"PET_.*|MASTER_(ADDR|PORT)|(GROUP_|LOCAL_)?(RANK|WORLD_SIZE)")
"""Variables that operators and launchers set."""


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    nodes = tuple(_object("nodes", each) for each in params["nodes"])
    check_unique("nodes", nodes)
    if not 1 <= len(nodes) <= MOST_NODES:
        refuse_option("nodes", f"{len(nodes)} nodes", f"1 to {MOST_NODES}")
    if not re.fullmatch(IMAGE, check_length("image", params["image"], 255)):
        refuse_option("image", params["image"], IMAGE_ALLOWED)
    check_name(params["namespace"], of_teams=bool(params["claim"] or params["queue"]))
    for option, (low, high) in {**OF_JOB, **OF_PROGRAM}.items():
        check_number(option, params[option], low, high)
    return Desired(
        nodes=nodes,
        program=_program(params),
        claim=_object("claim", params["claim"]) if params["claim"] else "",
        queue=_queue(params),
        environment=_environment(params["environment"]),
        pull_secrets=tuple(_object("pull_secrets", each) for each in params["pull_secrets"]),
        token=token.checked(params),
        lease_holder=check_holder("lease_holder", params["lease_holder"]) if params["lease_holder"] is not None else "",
        **{name: params[name] for name in ("image", "namespace", "kind", "efa", *OF_JOB)},
    )


def _program(params: t.Mapping[str, t.Any]) -> Program:
    if params["program"] is None:
        _check_image_program(params)
    size = len((params["program"] or "").encode())
    if params["program"] is not None and not 0 < size <= LARGEST_PROGRAM:
        refuse_shown("program", f"a text of {size} bytes", f"1 to {LARGEST_PROGRAM} bytes of Python")
    if bool(params["claim"]) != bool(params["checkpoint"]):
        missing, given = ("checkpoint", "claim") if params["claim"] else ("claim", "checkpoint")
        raise Refused(f"{missing}: missing; {given} requires it.", option=missing)
    if params["resume_from"] and not params["claim"]:
        raise Refused("claim: missing; resume_from requires the claim with the checkpoint.", option="claim")
    if params["resume_from"] >= params["steps"]:
        refuse_option("resume_from", params["resume_from"], f"less than steps, {params['steps']}")
    if params["loss_bound"] is not None and not 0 < params["loss_bound"] < math.inf:
        refuse_option("loss_bound", params["loss_bound"], "a number above 0")
    if params["remove_checkpoints"] and not params["claim"]:
        raise Refused("claim: missing; remove_checkpoints requires the claim with the checkpoints.", option="claim")
    for option in INTERRUPTIONS:
        if params[option]:
            _check_interrupted(params, option)
    return Program(
        source=params["program"] or "",
        arguments=tuple(params["arguments"]),
        checkpoint=_object("checkpoint", params["checkpoint"]) if params["checkpoint"] else "",
        loss_bound=params["loss_bound"],
        kill=params["kill"],
        replace_pod=params["replace_pod"],
        remove=params["remove_checkpoints"],
        **{name: params[name] for name in OF_PROGRAM},
    )


def _check_image_program(params: t.Mapping[str, t.Any]) -> None:
    if not params["arguments"]:
        raise Refused("arguments: missing; without program, arguments must name a program in the image.", option="arguments")
    for option in OF_SOURCE:
        if params[option] not in (None, False, SPEC[option].get("default")):
            raise Refused(f"program: missing; {option} requires a program that reports its steps.", option="program")


def _check_interrupted(params: t.Mapping[str, t.Any], option: str) -> None:
    if not params["claim"]:
        raise Refused(f"claim: missing; {option} requires shared storage with a checkpoint.", option="claim")
    if params["kill"] and params["replace_pod"]:
        raise Refused("kill: not allowed with replace_pod. Run a separate job for each.", option="kill")
    if params["steps"] - params["resume_from"] < FEWEST_INTERRUPTED:
        allowed = f"at least {params['resume_from'] + FEWEST_INTERRUPTED} with {option} and this resume_from"
        refuse_option("steps", params["steps"], allowed)
    if params["replace_pod"] and len(params["nodes"]) == 1:
        refuse_shown("nodes", "1 node", "at least 2 with replace_pod, so that a launcher loses the rendezvous")
    refusal = not_interrupted(option, params["kind"])
    if refusal:
        raise Refused(refusal, option=option)


def not_interrupted(option: str, kind: str, name: str = "") -> str:
    """Why jobs of a kind do not support an interruption; empty if they do, or if the kind is not known yet.

    :param option: a key of ``INTERRUPTIONS``.
    :param name: the name of the option in the text, if it is not ``option``.
    """
    why, kinds = INTERRUPTIONS[option]
    return "" if kind in (AUTO, *kinds) else f"{name or option}: {why.format(kind=kind)}. Choose {' or '.join(kinds)}."


def _queue(params: t.Mapping[str, t.Any]) -> Queue:
    for option in ("priority", "topology"):
        if params[option] and not params["queue"]:
            raise Refused(f"queue: missing; {option} is for jobs that Kueue admits.", option="queue")
    if bool(params["topology"]) != bool(params["level"]):
        missing, given = ("level", "topology") if params["topology"] else ("topology", "level")
        raise Refused(f"{missing}: missing; {given} requires it.", option=missing)
    if params["level"] and not LABEL.fullmatch(params["level"]):
        refuse_option("level", params["level"], LABEL_ALLOWED)
    names = {option: _object(option, params[option]) if params[option] else "" for option in ("queue", "priority")}
    return Queue(names["queue"], names["priority"], Wish(params["topology"] or "", params["level"] or ""))


def _environment(given: t.Mapping[str, t.Any]) -> tuple[tuple[str, str], ...]:
    for problem in environment_problems(given):
        raise Refused(problem, option="environment")
    return tuple((str(name), str(value)) for name, value in given.items())


def environment_problems(given: t.Any, option: str = "environment") -> list[str]:
    """Why these are not valid variables for the processes; empty if they are valid. Values may be secrets, so they are not shown.

    :param option: the name of the option in the texts.
    """
    if not isinstance(given, t.Mapping):
        return [refusal_text(option, f"a value of type {type(given).__name__}", "a dictionary of names and values")]
    found = []
    for name, value in given.items():
        if not VARIABLE.fullmatch(str(name)):
            found.append(not_allowed(option, name, "names of variables: at most 128 letters, digits and _"))
        elif str(name) in token.IN_ENVIRONMENT:
            found.append(not_allowed(option, name, "other variables", "the option for the token keeps the token secret"))
        elif RESERVED.fullmatch(str(name)):
            found.append(not_allowed(option, name, "other variables", "the launcher of the processes sets this variable"))
        elif not isinstance(value, (str, int, float)) or "\0" in str(value) or len(str(value)) > LONGEST_VALUE:
            kind = f"the value of {name}, of type {type(value).__name__},"
            found.append(refusal_text(option, kind, f"texts and numbers of at most {LONGEST_VALUE} characters"))
    return found


def _object(option: str, name: str) -> str:
    if not re.fullmatch(OBJECT, name):
        refuse_option(option, name, OBJECT_ALLOWED)
    return name
