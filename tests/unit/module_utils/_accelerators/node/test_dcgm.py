# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnostics of DCGM 2 to 4: tests that did not pass, and output that is no diagnostic."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import dcgm
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.model import DcgmResult


def document(*tests: t.Any, root: str = "DCGM Diagnostic", **more: t.Any) -> str:
    return json.dumps({root: {"test_categories": [{"category": "Deployment", "tests": list(tests)}], **more}})


def test_dcgm_4_has_entities_and_severities():
    warning = {"warning": "GPU 3 has row remap failures", "error_id": 95, "error_category": 7, "error_severity": 2}
    results = [
        {"entity_group": "GPU", "entity_group_id": 1, "entity_id": 0, "status": "Pass"},
        {"entity_group": "GPU", "entity_group_id": 1, "entity_id": 3, "status": "Fail", "warnings": [warning]},
        {"entity_group": "CPU", "entity_group_id": 7, "entity_id": 0, "status": "Fail", "warnings": []},
        {"entity_group": "GPU", "entity_group_id": 1, "entity_id": 4, "status": "Skip"},
    ]
    text = document({"name": "software", "results": results, "test_summary": {"status": "Fail"}}, entity_groups=[])
    assert dcgm.results(f"Successfully started.\n{text}\nDone.\n") == (
        DcgmResult("software", 3, "fail", "GPU 3 has row remap failures", 2),
        DcgmResult("software", None, "fail", "", None),
    )


@pytest.mark.parametrize(
    ("result", "found"),
    [
        (
            {"gpu_ids": "0,1", "status": "FAIL", "warnings": ["Persistence is off."]},
            [(0, "fail", "Persistence is off."), (1, "fail", "Persistence is off.")],
        ),
        ({"gpu_id": "2", "status": "Warn", "warnings": "Look."}, [(2, "warn", "Look.")]),
        ({"gpu_id": 1, "status": "Fail", "warnings": [{"warnings": "Bad."}]}, [(1, "fail", "Bad.")]),
        ({"gpu_ids": "0,1", "status": "PASS"}, []),
    ],
)
def test_dcgm_2_and_3_have_gpus_and_texts(result: dict[str, t.Any], found: list[tuple[t.Any, ...]]):
    text = document(None, {"name": "Persistence Mode", "results": [result, None]}, root="DCGM GPU Diagnostic")
    assert [(each.gpu, each.status, each.text) for each in dcgm.results(text)] == found
    assert {each.severity for each in dcgm.results(text)} <= {None}


def test_control_characters_in_a_warning_hide_no_result():
    text = document({"name": "Memory", "results": [{"gpu_id": "2", "status": "Fail", "warnings": "aWORDb"}]})
    assert dcgm.results(text.replace("WORD", "\x1b[31m\n\x02")) == (DcgmResult("Memory", 2, "fail", "a\x1b[31m\n\x02b", None),)


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("Error: unable to establish a connection to the specified host", "not a JSON document"),
        ('{"a": 1', "not a JSON document"),
        pytest.param('{"a": ' * 200_000 + "}", "not a JSON document", id="too deep"),
        ('{"other": {}}', "not a DCGM diagnostic"),
        (json.dumps({"DCGM Diagnostic": {"test_categories": []}}), "has no tests"),
        (json.dumps({"DCGM Diagnostic": {"runtime_error": "nvvs is missing"}}), "did not run: nvvs is missing"),
    ],
)
def test_output_that_is_no_diagnostic_is_refused(output: str, why: str):
    with pytest.raises(dcgm.Unreadable, match=why):
        dcgm.results(output)


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ({"results": [{"status": "Pass"}], "test_summary": {"status": "Pass"}}, []),
        ({"results": [{"status": "Not Run"}]}, []),
        ({"results": [{"status": "NOT_RUN"}]}, []),
        ({"results": [{"status": "Error"}]}, [(None, "error")]),
        ({"results": [{"status": None}]}, [(None, "none")]),
        ({"results": [{}]}, [(None, "")]),
        ({"results": []}, [(None, "")]),
        ({}, [(None, "")]),
        ({"results": None, "test_summary": {"status": "Pass"}}, []),
        ({"results": [{"status": "Pass"}], "test_summary": {"status": "Fail"}}, [(None, "fail")]),
        ({"results": [{"entity_id": 3, "status": "Fail"}], "test_summary": {"status": "Fail"}}, [(3, "fail")]),
    ],
)
def test_only_a_known_good_status_has_passed(test: dict[str, t.Any], found: list[tuple[t.Any, ...]]):
    assert [(each.gpu, each.status) for each in dcgm.results(document({"name": "software", **test}))] == found
