# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet that exists is changed in place, and nothing of others."""

from __future__ import annotations

import pytest
from awx_fleet import SECRETS, Controller


def assert_unchanged(controller: Controller) -> None:
    again = controller.run("--diff")
    assert (again.rc, again.changed, again.changes) == (0, 0, []), again.output


def test_an_edited_object_is_changed_back(built: Controller) -> None:
    template, schedule = built.named("job_templates", "access report"), built.named("schedules", "access report monthly")
    built.patch(template, forks=99, verbosity=4)
    built.patch(schedule, enabled=False)
    role = next(each for each in template.related["object_roles"] if each.values["name"] == "Execute")
    submitters = built.named("teams", "submitters")
    assert built.awx.awx.call("POST", f"roles/{role.id}/teams/", {"id": submitters.id, "disassociate": True})[0] == 204
    done = built.run("--diff")
    assert done.rc == 0, done.output
    assert [(call.method, call.path) for call in done.changes] == [
        ("PATCH", f"job_templates/{template.id}/"),
        ("PATCH", f"schedules/{schedule.id}/"),
        ("POST", f"roles/{role.id}/teams/"),
    ]
    assert (template.values["forks"], template.values["verbosity"], schedule.values["enabled"]) == (10, 4, True)
    assert_unchanged(built)


@pytest.mark.slow
def test_a_new_prefix_renames_and_the_purge_removes_what_is_not_declared(built: Controller) -> None:
    before = built.objects()
    renamed = built.run(awx_prefix="ml-")
    assert renamed.rc == 0, renamed.output
    assert {call.method for call in renamed.changes} == {"PATCH"} and len(built.objects()) == len(before)
    names = [name for kind, name in built.objects() if kind in ("job_templates", "teams", "projects", "schedules")]
    assert names and all(name.startswith("ml-") for name in names)
    built.variables |= {"awx_prefix": "ml-", "awx_notifications": []}
    left = built.run()
    assert left.rc == 0 and "The notification template ml-hook is no longer declared. -e awx_purge=true removes it." in left.output
    purged = built.run(awx_purge=True)
    assert [call.path.split("/")[0] for call in purged.changes if call.method == "DELETE"] == ["notification_templates"]
    assert_unchanged(built)


@pytest.mark.slow
def test_an_object_of_someone_else_is_refused_before_any_change_until_it_is_adopted(built: Controller) -> None:
    project, inventory = built.named("projects", "hyperpod"), built.named("inventories", "hyperpod")
    values = {"name": "verify", "playbook": "verify.yml", "project": project.id, "inventory": inventory.id}
    assert built.awx.awx.call("POST", "job_templates/", values)[0] == 201
    built.variables["awx_verbs"] = ["access_report", "verify"]
    refused = built.run()
    assert refused.rc != 0 and refused.changes == []
    assert "the job template verify exists and has no mark of this fleet" in refused.output
    adopted = built.run(awx_adopt=["verify"])
    assert adopted.rc == 0 and [name for kind, name in built.objects() if kind == "job_templates"] == ["access report", "verify"]
    assert_unchanged(built)


def test_secrets_are_written_by_order_only(built: Controller) -> None:
    built.variables["awx_credentials"][0]["inputs"]["ssh_key_data"] = "new-key"
    assert_unchanged(built)
    credential = built.named("credentials", "operations key")
    assert credential.values["inputs"]["ssh_key_data"] == SECRETS[0]
    built.variables["awx_credentials"][0]["inputs"]["username"] = "admin"
    assert built.run().rc == 0
    assert credential.values["inputs"] == {"username": "admin", "ssh_key_data": SECRETS[0]}
    written = built.run("-vvv", awx_write_secrets=["operations key"])
    assert (written.rc, credential.values["inputs"]["ssh_key_data"]) == (0, "new-key")
    assert "new-key" not in written.output


@pytest.mark.slow
def test_a_project_without_a_playbook_gets_no_template(built: Controller) -> None:
    (built.repository / "verify.yml").unlink()
    built.patch(built.named("projects", "hyperpod"), scm_branch="older")
    built.variables["awx_verbs"] = ["access_report", "verify"]
    done = built.run()
    assert done.rc != 0 and "Revision v1 of the project hyperpod lacks verify.yml" in done.output
    assert [call.path for call in done.changes if call.path.startswith("job_templates")] == []
