# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired job from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.checks import check_number
from ..._core.failure import Refused, refuse_option, refuse_shown
from ..._core.waits import Progress, Waits
from ..._kubernetes.client import Object
from .difference import masked
from .model import PREFERRED, REQUIRED, STAGES, UNCONSTRAINED, Desired, Wish
from .render import NAME, NAME_ALLOWED, render
from .source import manifest_of
from .ttl import vanishing

SPEC: dict[str, dict[str, t.Any]] = {
    "manifest": {"type": "dict", "no_log": True},
    "src": {"type": "path"},
    "namespace": {"type": "str"},
    "queue": {"type": "str"},
    "priority_class": {"type": "str"},
    "required_topology": {"type": "str"},
    "preferred_topology": {"type": "str"},
    "unconstrained_topology": {"type": "bool", "default": False},
    "slice_topology": {"type": "str"},
    "slice_size": {"type": "int"},
    "pod_rights": {"type": "list", "elements": "str", "default": []},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "replace": {"type": "bool", "default": False},
    "force": {"type": "bool", "default": False},
    "verify": {"type": "bool", "default": True},
    "wait": {"type": "str", "choices": list(STAGES), "default": "running"},
    "wait_timeout": {"type": "int", "default": 1800},
    "poll_interval": {"type": "int", "default": 10},
    "_progress_file": {"type": "path"},
}
LABEL = re.compile(r"([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
LABEL_ALLOWED = "a label of nodes such as topology.k8s.aws/network-node-layer-3"


def concealed(module: t.Any) -> dict[str, t.Any]:
    """The options. In the module's own copy, the manifest loses the values of environment variables.

    Ansible shows a module's options with -vvv, and writes them to the system log. ``no_log`` alone would also remove every text
    of the manifest, such as the job's name, from the module's output.
    """
    given = dict(module.params)
    if given["manifest"] is not None:
        module.params["manifest"] = masked(given["manifest"])
        others = {str(given[name]) for name, option in module.argument_spec.items() if option.get("no_log") and name != "manifest"}
        module.no_log_values.difference_update(set(_texts(given["manifest"])) - others)
    return given


def _texts(value: t.Any) -> t.Iterator[str]:
    if isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
    else:
        yield str(value)


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    for option in ("namespace", "queue", "priority_class"):
        if params[option] is not None and not NAME.fullmatch(params[option]):
            refuse_option(option, params[option], NAME_ALLOWED)
    source, manifest = _manifest(params)
    present = params["state"] == "present"
    rendered = render(
        manifest,
        source=source,
        namespace=params["namespace"],
        queue=params["queue"],
        priority=params["priority_class"],
        wish=wish(params),
        allowed=params["pod_rights"],
        sent=present,
    )
    stage, interval = params["wait"], params["poll_interval"]
    return Desired(
        rendered,
        present,
        replace=params["replace"],
        force=params["force"],
        stage=stage,
        verify=params["verify"],
        vanishing=vanishing(rendered, source=source, stage=stage, interval=interval) if present else "",
    )


def wish(params: t.Mapping[str, t.Any]) -> Wish:
    """:raises Refused: for requests that exclude each other, and a level that is not a label."""
    modes = {
        REQUIRED: params["required_topology"],
        PREFERRED: params["preferred_topology"],
        UNCONSTRAINED: "true" if params["unconstrained_topology"] else None,
    }
    given = [mode for mode, value in modes.items() if value is not None]
    if len(given) > 1:
        names = " and ".join(f"{each}_topology" for each in given)
        refuse_shown(f"{given[1]}_topology", names, "one of required_topology, preferred_topology and unconstrained_topology")
    for option in ("required_topology", "preferred_topology", "slice_topology"):
        if params[option] is not None and not LABEL.fullmatch(params[option]):
            refuse_option(option, params[option], LABEL_ALLOWED)
    mode = given[0] if given else ""
    level = "" if mode in ("", UNCONSTRAINED) else str(modes[mode])
    if (params["slice_topology"] is None) != (params["slice_size"] is None):
        raise Refused("slice_size: slice_topology and slice_size must be set together.", option="slice_size")
    if params["slice_topology"] is None:
        return Wish(mode, level)
    if mode == UNCONSTRAINED:
        refuse_option("slice_topology", params["slice_topology"], "no value together with unconstrained_topology")
    return Wish(mode, level, params["slice_topology"], check_number("slice_size", params["slice_size"], 1, 100_000))


def _manifest(params: t.Mapping[str, t.Any]) -> tuple[str, Object]:
    """The name of the option with the manifest, and the manifest."""
    if (params["manifest"] is None) == (params["src"] is None):
        raise Refused("manifest: set exactly one of manifest and src.", option="manifest")
    if params["manifest"] is not None:
        return "manifest", params["manifest"]
    return "src", manifest_of("src", params["src"])


def waits(params: t.Mapping[str, t.Any]) -> Waits:
    """:raises Refused: for a number out of range."""
    return Waits(
        timeout=check_number("wait_timeout", params["wait_timeout"], 1, 604_800),
        interval=check_number("poll_interval", params["poll_interval"], 1, 300),
        progress=Progress(params["_progress_file"]),
    )
