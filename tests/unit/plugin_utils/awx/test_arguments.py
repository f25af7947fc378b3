# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.arguments import SOUGHT_EVERYWHERE, arguments, with_ids
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.plan import ADOPT, CHANGE, CREATE, REMOVE, RENAME, Step

from .examples import objects

WANTED = {each.key: each for each in objects()}


def options(action: str, kind: str, name: str, **more: t.Any) -> list[dict[str, t.Any]]:
    wanted = None if action == REMOVE else WANTED[kind, name]
    return arguments(Step(action, kind, name, **more), wanted, "ml")


def test_a_secret_that_is_not_written_is_kept() -> None:
    (made,), (kept,) = (options(CREATE, "credential", "key"), options(CHANGE, "credential", "key", kept=("ssh_key_data",)))
    assert made["inputs"] == {"username": "ops", "ssh_key_data": "secret"}
    assert kept["inputs"] == {"username": "ops", "ssh_key_data": "$encrypted$"}
    assert made["organization"] == "ml" and made["credential_type"] == "Machine"


def test_a_renamed_object_is_found_by_its_former_name() -> None:
    (found,) = options(RENAME, "job_template", "reconcile", former="old-reconcile")
    assert (found["name"], found["new_name"]) == ("old-reconcile", "reconcile")
    assert "new_name" not in options(ADOPT, "job_template", "reconcile")[0]


def test_an_approval_and_its_edges_need_two_calls() -> None:
    approval, edges = options(CREATE, "workflow_job_template_node", "approve repairs")
    assert approval["approval_node"]["timeout"] == 43200 and "success_nodes" not in approval
    assert edges["success_nodes"] == ["repair as planned"] and edges["always_nodes"] == [] and "approval_node" not in edges
    (job,) = options(CREATE, "workflow_job_template_node", "verify")
    assert (job["unified_job_template"], job["lookup_organization"], job["always_nodes"]) == ("verify", "ml", ["plan repairs"])


def test_rights_are_given_and_taken() -> None:
    before = {"job_templates": ["access report", "reconcile"]}
    given, taken = options(CHANGE, "role", "submitters: execute job_templates", before=before)
    common = {"team": "submitters", "role": "execute", "lookup_organization": "ml"}
    assert given == {**common, "job_templates": ["verify"], "state": "present"}
    assert taken == {**common, "job_templates": ["reconcile"], "state": "absent"}
    removed = arguments(Step(REMOVE, "role", "submitters: use projects", {"projects": ["x"]}, refers={"team": "submitters"}), None, "ml")
    assert removed == [{"team": "submitters", "role": "use", "lookup_organization": "ml", "projects": ["x"], "state": "absent"}]


def test_a_removed_object_is_named_with_what_it_belongs_to() -> None:
    assert options(REMOVE, "schedule", "drift hourly", refers={"unified_job_template": "drift"}) == [
        {"organization": "ml", "unified_job_template": "drift", "name": "drift hourly", "state": "absent"}
    ]
    assert options(REMOVE, "credential_input_source", "key: config", refers={"target_credential": "key"}) == [
        {"target_credential": "key", "input_field_name": "config", "state": "absent"}
    ]


def test_names_that_modules_seek_in_all_organizations_become_ids() -> None:
    """A name stays if the organization lacks it, for example that of a credential without an organization, or if two types have it."""
    given = {"name": "a", "project": "p", "inventory": "hyperpod", "credentials": ["key", "global", "two"], "source_credential": ""}
    answers = {"hyperpod": [{"id": 7}], "key": [{"id": 8}], "two": [{"id": 1}, {"id": 2}]}
    queries = []

    def read(path: str, **query: str) -> list[dict[str, int]]:
        queries.append((path, query))
        return answers.get(query["name"], [])

    assert with_ids(given, read, "ml") == {**given, "inventory": "7", "credentials": ["8", "global", "two"]}
    assert ("inventories", {"name": "hyperpod", "organization__name": "ml"}) in queries


def test_each_reference_is_sought_by_its_organization_or_has_an_id_or_a_name_that_is_unique() -> None:
    sought = {"organization", "project", "source_project", "team", "unified_job_template", "workflow_job_template"}
    unique = {"credential_type", "execution_environment"}
    everything = objects(awx_verbs=[], awx_image="i", awx_notifications=[{"name": "chat", "type": "slack", "configuration": {}}])
    names = {name for each in everything if each.kind != "role" for name in (*each.refers, *each.lists)} - {"success_nodes", "failure_nodes", "always_nodes"}
    assert names - sought - unique <= set(SOUGHT_EVERYWHERE)
