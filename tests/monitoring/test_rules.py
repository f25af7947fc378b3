# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""promtool checks the rules, runs their unit tests, and reads the metrics files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from .conftest import SHIPPED


def promtool(folder: Path, *arguments: str, given: str = "") -> str:
    done = subprocess.run([folder / "promtool", *arguments], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_rules_are_valid_and_pass_their_tests(bin_folder: Path) -> None:
    promtool(bin_folder, "check", "rules", "--lint=all", "--lint-fatal", str(SHIPPED / "rules.yml"))
    promtool(bin_folder, "test", "rules", str(SHIPPED / "rules_test.yml"))


def test_each_alert_has_a_test_in_which_it_fires() -> None:
    rules = [rule["alert"] for group in yaml.safe_load((SHIPPED / "rules.yml").read_text())["groups"] for rule in group["rules"]]
    tests = yaml.safe_load((SHIPPED / "rules_test.yml").read_text())["tests"]
    fires = {each["alertname"] for test in tests for each in test["alert_rule_test"] if each.get("exp_alerts")}
    assert fires == set(rules)


@pytest.mark.parametrize("name", ["runs", "drift", "accelerators"])
def test_promtool_reads_the_metrics_without_a_complaint(bin_folder: Path, metrics: Path, name: str) -> None:
    assert promtool(bin_folder, "check", "metrics", given=(metrics / f"{name}.prom").read_text()) == ""
