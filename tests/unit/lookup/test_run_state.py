# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the run knows of a host, with something added, as a template of a playbook."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import lookup_loader
from ansible.template import Templar, trust_as_template

HOSTVARS = {"ml": {"hyperpod_run": {"ready": True}}, "b": {}, "ml-1": {"hyperpod_instance_id": "i-1"}}


def told(arguments: str, host: str = "ml") -> t.Any:
    lookup_loader.add_directory(str(Path(__file__).resolve().parents[3] / "plugins/lookup"))
    known = {"inventory_hostname": host, "hostvars": HOSTVARS, **HOSTVARS[host]}
    return Templar(loader=DataLoader(), variables=known).template(trust_as_template("{{ lookup('run_state', " + arguments + ") }}"))


def test_fields_are_added_or_begin_anew() -> None:
    assert told("skipped=true") == {"ready": True, "skipped": True}
    assert told("skipped=true, ready=false") == {"ready": False, "skipped": True}
    assert told("skipped=true, anew=true") == {"skipped": True}


def test_another_host_has_its_own() -> None:
    assert told("'ml', skipped=true", host="b") == {"ready": True, "skipped": True}
    assert told("'b', skipped=true") == {"skipped": True}
    assert told("'ml-1', reached=true") == {"reached": True}


def test_what_is_no_field_of_the_host_is_an_error_with_its_name() -> None:
    with pytest.raises(AnsibleError, match="ml-1: hyperpod_run.skipped is not a field"):
        told("'ml-1', skipped=true")
