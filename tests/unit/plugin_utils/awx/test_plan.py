# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.plan import ADOPT, CHANGE, CREATE, REMOVE, RENAME, Choice, plan

from .examples import as_found, objects

NOTHING = Choice()


def changed(key: tuple[str, str], *, mark: str | None = None, lists: t.Any = None, **values: t.Any) -> t.Any:
    """The objects as found, except one."""
    return [
        dataclasses.replace(
            each, values={**each.values, **values}, mark=each.mark if mark is None else mark, lists={**each.lists, **(lists or {})}
        )
        if each.key == key
        else each
        for each in map(as_found, objects())
    ]


def test_an_empty_awx_gets_all_objects_in_their_order() -> None:
    made = plan(objects(), [], NOTHING)
    assert [(step.action, step.kind, step.name) for step in made.steps] == [(CREATE, *each.key) for each in objects()]
    assert "secret" not in repr(made)


def test_equal_objects_need_no_step_and_secrets_are_not_called_equal() -> None:
    made = plan(objects(), [as_found(each) for each in objects()], NOTHING)
    assert (made.steps, made.refused, made.left) == ((), (), ())
    assert made.not_compared == (("credential", "key"),)


def test_a_step_has_only_the_fields_that_differ() -> None:
    (step,) = plan(objects(), changed(("job_template", "reconcile"), forks=50, verbosity=3), NOTHING).steps
    assert (step.action, step.name, step.before, step.after) == (CHANGE, "reconcile", {"forks": 50}, {"forks": 10})


def test_variables_are_equal_in_json_and_yaml() -> None:
    for text in ("", "{}", "---", "# none\n"):
        assert plan(objects(), changed(("job_template", "reconcile"), extra_vars=text), NOTHING).steps == ()
    for text in ("a: b", '{"a": "b"}', "}{"):
        (step,) = plan(objects(), changed(("job_template", "reconcile"), extra_vars=text), NOTHING).steps
        assert (step.before, step.after) == ({"extra_vars": text}, {"extra_vars": {}})


def test_rights_are_a_set_that_is_given_and_taken() -> None:
    key = ("role", "submitters: execute job_templates")
    (step,) = plan(objects(), changed(key, lists={"job_templates": ("reconcile",)}), NOTHING).steps
    assert (step.before, step.after) == ({"job_templates": ["reconcile"]}, {"job_templates": ["access report", "verify"]})


def test_an_object_of_someone_else_is_refused_until_it_is_adopted() -> None:
    theirs = changed(("job_template", "reconcile"), mark="", description="mine")
    made = plan(objects(), theirs, NOTHING)
    assert (made.refused, made.steps) == ((("job_template", "reconcile"),), ())
    (step,) = plan(objects(), theirs, Choice(adopt=frozenset({"reconcile"}))).steps
    assert (step.action, step.before) == (ADOPT, {"description": "mine"})


def test_an_organization_of_someone_else_is_used() -> None:
    made = plan(objects(), changed(("organization", "ml"), mark="", description="theirs"), NOTHING)
    assert (made.refused, made.steps) == ((), ())


def test_an_object_that_is_no_longer_declared_stays_until_the_purge_which_begins_with_the_last_kind() -> None:
    found = [as_found(each) for each in objects()]
    fewer = objects(awx_verbs=["reconcile", "verify", "remediate"])
    made = plan(fewer, found, NOTHING)
    gone = [("role", "auditors: execute job_templates"), ("schedule", "access report monthly"), ("job_template", "access report")]
    assert sorted(made.left) == sorted(gone)
    purged = plan(fewer, found, Choice(purge=True))
    assert [(step.kind, step.name) for step in purged.steps if step.action == REMOVE] == gone and purged.left == ()


def test_a_new_prefix_renames_and_nothing_else() -> None:
    made = plan(objects(awx_prefix="new-"), [as_found(each) for each in objects()], NOTHING)
    assert made.left == made.refused == ()
    assert {step.action for step in made.steps if step.kind != "workflow_job_template_node"} == {RENAME}
    assert {(step.kind, step.former) for step in made.steps if step.action == RENAME} == {
        each.key for each in objects() if each.mark and each.kind != "organization"
    }
    assert all(set(step.after) == {"name"} for step in made.steps if step.kind == "job_template")


def test_a_rename_does_not_take_the_name_of_someone_else() -> None:
    theirs = dataclasses.replace(next(each for each in objects(awx_prefix="new-") if each.name == "new-reconcile"), mark="")
    found = [*map(as_found, objects()), theirs]
    assert plan(objects(awx_prefix="new-"), found, NOTHING).refused == (("job_template", "new-reconcile"),)


def test_secrets_are_written_by_order() -> None:
    found = [as_found(each) for each in objects()]
    made = plan(objects(), found, Choice(write_secrets=frozenset({"key"})))
    (step,) = made.steps
    assert (step.kind, step.name, step.kept, made.not_compared) == ("credential", "key", (), ())
    assert set(step.after["inputs"]) == {"username", "ssh_key_data"} and "secret" not in repr(made)


def test_another_change_of_a_credential_keeps_its_secret() -> None:
    (step,) = plan(objects(), changed(("credential", "key"), description="older [mlfleet.hyperpod:prod/key]"), NOTHING).steps
    assert step.kept == ("ssh_key_data",)
