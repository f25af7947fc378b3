# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The surveys of job templates."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.survey import survey
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import Verb, verbs

TYPES = {"text", "integer", "float", "multiplechoice", "password"}


@pytest.mark.parametrize("verb", verbs().values(), ids=verbs())
def test_each_question_is_complete(verb: Verb) -> None:
    spec = survey(verb)["spec"]
    assert [each["variable"] for each in spec] == list(verb.survey)
    for each in spec:
        assert each["type"] in TYPES and each["question_description"] and "C(" not in each["question_description"], each
        assert (each["type"] == "multiplechoice") is bool(each["choices"]), each
        assert "" not in each["choices"] and ("default" not in each or each["default"] in each["choices"] or not each["choices"]), each
        assert each.get("default") != "", "an empty text would arrive as null"


@pytest.mark.parametrize(
    ("verb", "variable", "expected"),
    [
        ("drain", "drain_nodes", {"type": "text", "required": True, "choices": []}),
        ("drain", "drain_force", {"type": "multiplechoice", "required": False, "default": "false", "choices": ["true", "false"]}),
        ("rotate_host_keys", "rotation", {"type": "multiplechoice", "choices": ["start", "finish", "rollback", "emergency"]}),
        ("verify", "hyperpod_only", {"type": "text", "required": False, "choices": []}),
        ("verify", "accelerator_health_dcgm_level", {"type": "multiplechoice", "choices": ["1", "2", "3", "4"]}),
    ],
)
def test_a_question_follows_the_spec_of_its_variable(verb: str, variable: str, expected: dict[str, object]) -> None:
    (found,) = [each for each in survey(verbs()[verb])["spec"] if each["variable"] == variable]
    assert {name: found[name] for name in expected} == expected


def test_a_secret_is_asked_as_a_password() -> None:
    one = Verb("a", "clusters", "p", "both", (), "operator", ("token",))
    (question,) = survey(one, {"token": {"type": "str", "no_log": True, "description": ["The C(token)."]}})["spec"]
    assert (question["type"], question["question_description"]) == ("password", "The token.")
