# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which groups of module_defaults a module belongs to, as ansible-doc prints it: a name that two doc fragments share hides one of them."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from simulated.controller import ansible

ROOT = Path(__file__).resolve().parents[3]
OURS = "mlfleet.hyperpod."
PUBLIC = ("aws", "cluster", "lock")


def test_ansible_doc_prints_every_group_of_a_module(tmp_path: Path) -> None:
    groups = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["action_groups"]
    members = {group: [each for each in groups[group] if isinstance(each, str)] for group in PUBLIC}
    asked = sorted({OURS + module for group in PUBLIC for module in members[group]})
    done = ansible("doc", "--type", "module", "--json", *asked, home=tmp_path, temporary=tmp_path / "tmp", limit=100)
    pages = json.loads(done.stdout)
    printed = {name: page["doc"].get("attributes", {}).get("action_group", {}).get("membership", []) for name, page in pages.items()}
    assert printed == {name: [OURS + group for group in PUBLIC if name.removeprefix(OURS) in members[group]] for name in asked}, done.stderr
