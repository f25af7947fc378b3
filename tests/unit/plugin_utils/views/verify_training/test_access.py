# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The access to the model, from the result of hugging_face_model_info."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training import access as views
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training.report import found, outcome

from .given import codes, job, variables

MODEL = {"verify_training_model": "a/b"}


def reply(access: str) -> dict[str, t.Any]:
    return {"__verify_training_access_read": {"hugging_face_model": {"access": access, "text": "Text.\x1b"}}, **MODEL}


def test_the_reply_becomes_the_first_check() -> None:
    expected = {"granted": "passed", "unauthorized": "failed", "forbidden": "failed", "missing": "failed", "unknown": "not_run", "odd": "not_run"}
    for access, verdict in expected.items():
        (found,) = views.access_checked(variables(**reply(access)))
        assert (found["name"], found["verdict"], found["text"]) == ("access", verdict, "Text.?")
        assert [each["code"] for each in found["problems"]] == ([] if verdict == "passed" else [f"model-{access}"])


def test_a_module_that_failed_knows_no_access() -> None:
    (unknown,) = views.access_checked(variables(__verify_training_access_read={"msg": "No.\nTraceback"}, **MODEL))
    assert (unknown["verdict"], unknown["problems"][0]) == ("not_run", {"code": "module-failed", "text": "No."})


def test_a_refused_access_is_the_only_failure() -> None:
    checks = views.access_checked(variables(**reply("forbidden")))
    here = variables(__verify_training_checks=checks, **MODEL)
    assert codes(found(here)) == ["training-failed"]
    rows = {each["name"]: each["verdict"] for each in outcome(here)["checks"]}
    assert rows.pop("access") == "failed" and {rows[name] for name in ("nodes", "health", "train", "fine-tune")} == {"not_run"}


def test_the_job_of_the_user_is_a_row_of_the_report() -> None:
    checks = views.access_checked(variables(**reply("granted")))
    from_jobs = [job(), job(weights="not_assessed", text="Ended.")]
    here = variables(results=from_jobs, __verify_training_checks=[*checks, *variables()["__verify_training_checks"]], **MODEL)
    made = outcome(here)
    assert (made["verdict"], list(made["jobs"]), made["checks"][-1]["text"]) == ("passed", ["train", "fine-tune"], "Ended.")
    assert codes(found(here)) == ["training-passed", "training-passed", "training-not-resumed"]
