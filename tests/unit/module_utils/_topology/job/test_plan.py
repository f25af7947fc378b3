# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import HASH, Facts, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.result import result

from .jobs import UID, condition, desired, job, live
from .test_checks import FINE

WISHED, OTHER = desired(job(4)), desired(job(8))
THERE = State(live(WISHED))


def foreign() -> State:
    there = live(WISHED)
    del there["metadata"]["annotations"][HASH]
    return State(there)


def leaving() -> State:
    there = live(WISHED)
    there["metadata"]["deletionTimestamp"] = "x"
    return State(there)


def steps(of, state: State) -> list[str]:
    return [each.operation for each in plan(of, state).steps]


def test_a_missing_job_is_submitted():
    made = plan(WISHED, State(facts=FINE))
    assert [each.operation for each in made.steps] == ["Submit"]
    assert made.after(State(facts=FINE)).job == WISHED.rendered.manifest
    assert made.changes[0].to_result()["after"] == WISHED.rendered.manifest


@pytest.mark.parametrize("ended", ["", "Complete", "Failed"])
def test_the_same_manifest_needs_no_change_in_any_state_of_the_job(ended):
    state = State(live(WISHED, conditions=[condition(ended)] if ended else []))
    assert not plan(WISHED, state) and not plan(desired(job(4), replace=True), state)
    assert not plan(desired(job(4, suspend=False)), state)


def test_another_manifest_is_refused_with_the_difference():
    with pytest.raises(Refused) as refused:
        plan(OTHER, THERE)
    message = str(refused.value)
    assert "manifest: a manifest that differs from that of the existing Job hyperpod-ns-a/mnist is not allowed" in message
    assert "spec.parallelism is 4 and would be 8, spec.completions is 4 and would be 8. Allowed: the original manifest" in message
    assert "suspend" not in message and HASH not in message


def test_messages_about_a_job_contain_no_value_of_an_environment_variable():
    old, new = (job(4) for _each in range(2))
    for each, token in ((old, "hf_old"), (new, "hf_new")):
        each["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "HF_TOKEN", "value": token}]
    made = plan(desired(new), State(facts=FINE))
    shown = [made.changes[0].to_result(), made.diff(), result(desired(new), made.after(State(facts=FINE)))]
    assert "HF_TOKEN" in str(shown[0]) and "HF_TOKEN" in str(shown[1]) and "hf_new" not in str(shown)
    with pytest.raises(Refused) as refused:
        plan(desired(new), State(live(desired(old))))
    assert "spec.template.spec.containers[a].env[HF_TOKEN].value differs. Allowed" in str(refused.value)
    sent = made.after(State(facts=FINE)).job["spec"]["template"]["spec"]["containers"][0]["env"]
    assert sent == [{"name": "HF_TOKEN", "value": "hf_new"}]


def test_removed_fields_are_reported():
    with pytest.raises(Refused) as refused:
        plan(WISHED, State(live(desired(job(4, backoffLimit=1)))))
    assert "the existing job has fields that the manifest no longer has" in str(refused.value)


def test_a_replaced_job_is_deleted_first():
    of = desired(job(8), replace=True)
    assert steps(of, State(THERE.job, facts=FINE)) == ["Delete", "Submit"]
    assert plan(of, State(THERE.job, facts=FINE)).steps[0].arguments == {"uid": UID}


@pytest.mark.parametrize("given", [{"present": False}, {"replace": True}])
def test_a_foreign_job_is_changed_only_with_force(given):
    with pytest.raises(Refused) as refused:
        plan(desired(job(8), **given), foreign())
    assert "Job hyperpod-ns-a/mnist already exists, and this module did not create it." in str(refused.value)
    assert steps(desired(job(8), force=True, **given), foreign())[0] == "Delete"
    with pytest.raises(Refused):
        plan(desired(job(8), force=True), foreign())


def test_absent_deletes_the_job():
    gone = desired(job(4), present=False)
    assert not plan(gone, State()) and not plan(gone, leaving()) and steps(gone, THERE) == ["Delete"]
    assert plan(gone, THERE).after(THERE).job is None


def test_a_job_in_deletion_is_not_created_again():
    with pytest.raises(Refused) as refused:
        plan(WISHED, leaving())
    assert "is being deleted. Run again after the deletion, or set replace=true" in str(refused.value)


@pytest.mark.parametrize("pods", [4, 8])
def test_a_job_in_deletion_is_replaced_once_it_is_gone(pods):
    """An earlier run was interrupted after its deletion; check mode predicts the remaining steps."""
    of = desired(job(pods), replace=True)
    assert steps(of, State(leaving().job, facts=FINE)) == ["Submit"]


def test_missing_prerequisites_are_refused_before_a_deletion():
    with pytest.raises(Refused) as refused:
        plan(desired(job(8), replace=True), State(THERE.job, facts=Facts()))
    assert "Kueue is not installed" in str(refused.value)


def test_steps_and_changes_are_as_expected():
    job_name = "Job hyperpod-ns-a/mnist"
    submit = Step("Submit", {}, (Change("create", job_name, None, None, WISHED.rendered.manifest),))
    delete = Step("Delete", {"uid": UID}, (Change("delete", job_name),))
    assert plan(WISHED, State(facts=FINE)).steps == (submit,)
    assert plan(desired(job(4), present=False), THERE).steps == (delete,)
    assert [each.operation for each in plan(desired(job(8), replace=True), THERE).steps] == ["Delete", "Submit"]
    assert plan(desired(job(8), replace=True), THERE).steps[0] == delete


@pytest.mark.parametrize(("rights", "vanishing"), [((), ""), (("hostPID",), ""), ((), "b"), (("hostPID",), "b")])
def test_rights_and_early_removal_are_noted(rights, vanishing):
    of = dataclasses.replace(WISHED, vanishing=vanishing, rendered=dataclasses.replace(WISHED.rendered, rights=rights))
    reach = "Pods of Job hyperpod-ns-a/mnist have rights beyond their containers: hostPID." if rights else ""
    assert plan(of, State()).notes == tuple(filter(None, (reach, vanishing)))
