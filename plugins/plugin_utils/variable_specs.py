# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The types and descriptions of variables, from the argument specs of the roles that read them."""

from __future__ import annotations

import functools
import re
import typing as t
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
Option = dict[str, t.Any]
"""An option as in an argument spec."""
Options = dict[str, Option]
FIRST = "accounts"
"""The role whose description is used if several roles read the same variable."""
IN_NO_SPEC: Options = {
    "hyperpod_degraded_fails": {
        "type": "bool",
        "default": False,
        "description": "Whether a run in which a cluster is degraded fails at its end, with exit status 2.",
    },
    "hyperpod_only": {
        "type": "list",
        "elements": "str",
        "default": [],
        "description": "Keys of the clusters that a run includes. A list, or a string separated by commas. Empty means all.",
    },
}
"""Settings that playbooks read themselves."""


@functools.cache
def roles() -> t.Mapping[str, Options]:
    """The options of each role, of all its entries."""
    found: dict[str, Options] = {}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in sorted(ROOT.glob("roles/*/meta/argument_specs.yml")):
        for entry in yaml.load(path.read_text(), Loader=loader)["argument_specs"].values():
            for name, option in (entry.get("options") or {}).items():
                found.setdefault(path.parts[-3], {}).setdefault(name, option)
    return found


def behind(names: t.Collection[str], of_roles: t.Mapping[str, Options]) -> Options:
    """Options of roles by the variable that is their default, or that a playbook passes to them."""
    found: Options = {}
    options = {name: (role, option) for role, each in of_roles.items() for name, option in each.items()}
    for name, variable, otherwise in _readers():
        if name in options and variable in names:
            role, option = options[name]
            if variable not in found or role == FIRST:
                found[variable] = _named(variable, option, otherwise)
    return {**found, **{name: option for name, (_role, option) in options.items() if name in names}}


@functools.cache
def _readers() -> tuple[tuple[str, str, str | None], ...]:
    """Options, with the variable that each reads first, and the default that it has there."""
    found = []
    for path in [*sorted(ROOT.glob("roles/*/defaults/main.yml")), *sorted(ROOT.glob("playbooks/**/*.yml"))]:
        for name, value in re.findall(r"^\s*([a-z_]+): (?:>-\n\s*)?(.*)$", path.read_text(), re.M):
            read = re.search(r"\{\{ ([a-z_]+)\b(?! *\.)(?: \| default\(([^()]*)\))?", value)
            if read:
                found.append((name, read[1], read[2]))
    return tuple(found)


def _named(name: str, option: Option, otherwise: str | None) -> Option:
    """An option under the name of its variable, without its reference to the variable as default, and without its entry."""
    texts = option["description"] if isinstance(option["description"], list) else [option["description"]]
    text = " ".join(" ".join(texts).split())
    text = re.sub(rf"[,;]? by default C\({name}\)(?: or C\(\w+\))?| ?By default C\({name}\)\.", "", text).strip()
    text = re.sub(r"^With C\([a-z_]+\), ", "", text)
    default = {} if otherwise is None else {"default": yaml.safe_load(otherwise)}
    return {**default, **option, "description": text[:1].upper() + text[1:]}
