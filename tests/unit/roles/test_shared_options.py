# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A variable that several roles declare has the same default and options in each of them."""

from __future__ import annotations

import collections
import typing as t
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]


LENIENT = {("client_vpn_access", "client_vpn_urgent"): "role client_vpn refuses a wrong value, and an offboarding must not fail because of it"}


def by_role(values: t.Callable[[Path], t.Iterable[tuple[str, t.Any]]]) -> dict[str, dict[str, t.Any]]:
    """Values of each role for variables that several roles have."""
    found: dict[str, dict[str, t.Any]] = collections.defaultdict(dict)
    for role in sorted(path.parents[1] for path in ROOT.glob("roles/*/meta/argument_specs.yml")):
        for name, value in values(role):
            if (role.name, name) in LENIENT and values is options:
                continue
            found[name].setdefault(role.name, value)
    return {name: each for name, each in found.items() if len(each) > 1}


def defaults(role: Path) -> t.Iterable[tuple[str, t.Any]]:
    return (yaml.safe_load((role / "defaults/main.yml").read_text()) or {}).items()


def options(role: Path) -> t.Iterator[tuple[str, t.Any]]:
    for entry in yaml.safe_load((role / "meta/argument_specs.yml").read_text())["argument_specs"].values():
        yield from entry.get("options", {}).items()


@pytest.mark.parametrize("values", [defaults, options])
def test_roles_agree_on_a_variable(values: t.Callable[[Path], t.Iterable[tuple[str, t.Any]]]) -> None:
    shared = by_role(values)
    assert "login_balancer_name" in shared
    assert {name: each for name, each in shared.items() if len({str(value) for value in each.values()}) > 1} == {}
