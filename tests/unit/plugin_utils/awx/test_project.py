# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a project for AWX."""

from __future__ import annotations

import configparser

import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.project import files
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs


def test_the_files_are_valid_and_named_once() -> None:
    found = {each.path: each.content for each in files(verbs().values(), "1.2.3")}
    with_variables = [title for verb in verbs().values() for title, each in verb.templates.items() if each.vars]
    assert len(found) == len(verbs()) + len(with_variables) + 4
    assert all(yaml.safe_load(text) for path, text in found.items() if path.endswith(".yml"))
    assert yaml.safe_load(found["collections/requirements.yml"])["collections"] == [{"name": "mlfleet.hyperpod", "version": "1.2.3"}]


def test_the_configuration_enables_the_report_and_turns_injected_facts_off() -> None:
    """The playbooks refuse to run otherwise."""
    parsed = configparser.ConfigParser()
    parsed.read_string(next(each.content for each in files((), "1.2.3") if each.path == "ansible.cfg"))
    assert parsed["defaults"]["callbacks_enabled"] == "mlfleet.hyperpod.report"
    assert not parsed.getboolean("defaults", "inject_facts_as_vars") and "report_store" not in parsed["hyperpod"]


def test_a_template_with_variables_has_a_playbook_that_sets_them() -> None:
    found = {each.path: each.content for each in files(verbs().values(), "1.2.3")}
    (play,) = yaml.safe_load(found["verify_training_on_idle_nodes.yml"])
    assert (play["ansible.builtin.import_playbook"], play["vars"]) == ("mlfleet.hyperpod.verify_training", {"verify_training_idle": True})
    (repair,) = yaml.safe_load(found["repair_as_planned.yml"])
    assert "planned_repairs" in repair["vars"]["remediation_approve"] and "vars" not in yaml.safe_load(found["remediate.yml"])[0]
