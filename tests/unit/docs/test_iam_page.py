# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/reference/iam.md describes in one sentence what the holder of each policy can do, and names the required roles and boundary."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

REFERENCE = Path(__file__).resolve().parents[3] / "docs/reference"
PAGE = (REFERENCE / "iam.md").read_text()
FILES = sorted((REFERENCE / "iam").glob("*.json"))
ROW = re.compile(r"^\| \[(?P<name>[a-z-]+)\.json\]\(iam/(?P=name)\.json\) \| [^|]+ \| (?P<sentence>[^|]+) \|$", re.M)
BEGINNING = "A caller with this policy can "


def test_each_file_has_one_row() -> None:
    assert sorted(row["name"] for row in ROW.finditer(PAGE)) == sorted(path.stem for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_file_has_a_sentence_about_its_holder(path: Path) -> None:
    (sentence,) = [row["sentence"] for row in ROW.finditer(PAGE) if row["name"] == path.stem]
    assert sentence.startswith(BEGINNING) and sentence.endswith(".") and ". " not in sentence.replace("boundary.json", "")


def test_the_page_creates_the_boundary_that_the_policies_require() -> None:
    required = {
        arn
        for path in FILES
        for statement in json.loads(path.read_text())["Statement"]
        for arn in [statement.get("Condition", {}).get("StringEquals", {}).get("iam:PermissionsBoundary")]
        if arn
    }
    (arn,) = required
    name = arn.rpartition("/")[2]
    assert f"create-policy --policy-name {name} --policy-document file://boundary.json" in PAGE
    assert f"hyperpod_cluster_execution_role_boundary: {arn}" in PAGE and f"karpenter_role_boundary: {arn}" in PAGE


def test_the_policies_cannot_change_or_pass_the_operators_roles() -> None:
    patterns = {
        pattern.rpartition(":role/")[2]
        for path in FILES
        for statement in json.loads(path.read_text())["Statement"]
        if statement["Action"] != "iam:GetRole"
        for pattern in ([statement["Resource"]] if isinstance(statement["Resource"], str) else statement["Resource"])
        if ":role/" in pattern and "aws-service-role" not in pattern
    }
    ours = {"hyperpod-nodes*", "hyperpod-karpenter*", "hyperpod-karpenter-*", "hyperpod-pods*", "hyperpod-eks/*", "hyperpod-eks/*-nodes"}
    assert patterns == ours
    operators = set(re.findall(r"--role-name ([\w-]+)", PAGE)) | set(
        re.findall(r":role/([\w-]+)", (REFERENCE.parents[1] / "README.md").read_text())
    )
    assert operators == {"mlfleet-login-access"}
