# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module has the action plugin that its options require, and the routes in meta/runtime.yml exist."""

from __future__ import annotations

import importlib
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.plugins.action import ActionBase
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.in_memory import InMemoryAction
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.watch import Watched

ROOT = Path(__file__).resolve().parents[3]
OURS = "mlfleet.hyperpod."
ROUTED: dict[str, dict[str, str]] = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["plugin_routing"]["modules"]
MODULES = {path.stem: path.read_text() for path in sorted((ROOT / "plugins/modules").glob("*.py"))}
PLUGINS = {path.stem for path in (ROOT / "plugins/action").glob("*.py")}
WAITING = [name for name, text in MODULES.items() if "wait_options(" in text or '"_progress_file":' in text]
SECRET = ["client_vpn_pki", "host_certificate"]


def plugin_of(module: str) -> type[ActionBase]:
    plugin = ROUTED.get(module, {}).get("action_plugin", module).removeprefix(OURS)
    found = importlib.import_module(f"ansible_collections.mlfleet.hyperpod.plugins.action.{plugin}").ActionModule
    return t.cast("type[ActionBase]", found)


@pytest.mark.parametrize(("module", "route"), ROUTED.items())
def test_a_route_is_from_a_module_to_an_existing_plugin(module: str, route: dict[str, str]) -> None:
    assert route.keys() == {"action_plugin"} and module in MODULES and module not in PLUGINS
    assert route["action_plugin"].removeprefix(OURS) in PLUGINS


@pytest.mark.parametrize("module", WAITING)
def test_modules_that_wait_show_their_progress(module: str) -> None:
    assert len(WAITING) > 15 and issubclass(plugin_of(module), Watched)


@pytest.mark.parametrize("module", SECRET)
def test_modules_with_secrets_use_an_in_memory_action(module: str) -> None:
    assert issubclass(plugin_of(module), InMemoryAction)
