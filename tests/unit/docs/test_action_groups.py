# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-doc prints the groups of module_defaults of each module; if two doc fragments share a name, one of them is hidden."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from simulated.controller import ansible

ROOT = Path(__file__).resolve().parents[3]
OURS = "mlfleet.hyperpod."
LISTED_AS = {"aws": "internal_aws", "cluster": "cluster", "lock": "lock"}
"""Public groups, and the groups in meta/runtime.yml that list their modules of this collection."""


def test_ansible_doc_prints_every_group_of_a_module(tmp_path: Path) -> None:
    groups = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["action_groups"]
    members = {group: [each for each in groups[listed] if "." not in each] for group, listed in LISTED_AS.items()}
    modules = sorted({OURS + module for names in members.values() for module in names})
    done = ansible("doc", "--type", "module", "--json", *modules, home=tmp_path, temporary=tmp_path / "tmp", limit=100)
    pages = json.loads(done.stdout)
    printed = {name: page["doc"].get("attributes", {}).get("action_group", {}).get("membership", []) for name, page in pages.items()}
    assert printed == {name: [OURS + group for group in members if name.removeprefix(OURS) in members[group]] for name in modules}, done.stderr
