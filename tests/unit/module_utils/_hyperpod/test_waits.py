# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of modules that wait."""

from __future__ import annotations

import types
import typing as t

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.doc_fragments.waits import ModuleDocFragment
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of

PARAMS = {"wait": True, "wait_timeout": 1200, "poll_interval": 20, "_progress_file": None}


def module(*, check_mode: bool = False, **given: t.Any) -> t.Any:
    return types.SimpleNamespace(params={**PARAMS, **given}, check_mode=check_mode)


def test_the_options_are_as_documented() -> None:
    documented = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"]
    options = wait_options(timeout=7)
    assert options.pop("wait_timeout") == {"type": "int", "default": 7}
    assert options == {name: {key: each[key] for key in ("type", "default") if key in each} for name, each in documented.items()}


@pytest.mark.parametrize(("given", "waits"), [({}, True), ({"wait": False}, False), ({"check_mode": True}, False)])
def test_check_mode_does_not_wait(given: dict[str, t.Any], waits: bool) -> None:
    assert (waits_of(module(**given)) is not None) is waits


@pytest.mark.parametrize(("option", "least", "most"), [("wait_timeout", 1, 86400), ("poll_interval", 1, 300)])
def test_values_outside_the_bounds_are_refused(option: str, least: int, most: int) -> None:
    for value in (least, most):
        assert waits_of(module(**{option: value})) is not None
    for value in (least - 1, most + 1):
        with pytest.raises(Refused, match=f"^{option}: "):
            waits_of(module(**{option: value}))


def test_the_options_are_used() -> None:
    found = waits_of(module(wait_timeout=60, poll_interval=5, _progress_file="/tmp/progress"))
    assert found is not None and (found.timeout, found.interval, found.progress.path) == (60, 5, "/tmp/progress")
