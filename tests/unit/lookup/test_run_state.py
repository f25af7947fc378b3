# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup run_state in templates of playbooks: the run state of a host with changed fields."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import lookup_loader
from ansible.template import Templar, trust_as_template

HOSTVARS = {"ml": {"hyperpod_run": {"ready": True}}, "b": {}, "ml-1": {"hyperpod_instance_id": "i-1"}}


def state(arguments: str, host: str = "ml") -> t.Any:
    lookup_loader.add_directory(str(Path(__file__).resolve().parents[3] / "plugins/lookup"))
    known = {"inventory_hostname": host, "hostvars": HOSTVARS, **HOSTVARS[host]}
    return Templar(loader=DataLoader(), variables=known).template(trust_as_template("{{ lookup('run_state', " + arguments + ") }}"))


def test_fields_are_added_to_the_state_or_replace_it() -> None:
    assert state("skipped=true") == {"ready": True, "skipped": True}
    assert state("skipped=true, ready=false") == {"ready": False, "skipped": True}
    assert state("skipped=true, anew=true") == {"skipped": True}


def test_another_host_has_its_own_state() -> None:
    assert state("'ml', skipped=true", host="b") == {"ready": True, "skipped": True}
    assert state("'b', skipped=true") == {"skipped": True}
    assert state("'ml-1', reached=true") == {"reached": True}


def test_an_unknown_field_is_an_error_with_its_name() -> None:
    with pytest.raises(AnsibleError, match="ml-1: hyperpod_run.skipped is not a field"):
        state("'ml-1', skipped=true")
