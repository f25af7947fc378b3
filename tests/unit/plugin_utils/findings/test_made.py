# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import NoText, in_words, of_texts


def test_a_finding_has_its_text_code_and_subject() -> None:
    found = in_words("vpn-stays", {"vpc": "vpc-1", "clusters": ["a", "b"]})
    assert (found.kind, found.code, found.severity, found.subject) == ("note", "vpn-stays", "info", "vpc-1")
    assert found.text == "The Client VPN of vpc-1 stays because other clusters use it: a, b."


def test_a_refusal_is_about_its_variable() -> None:
    found = in_words("vpn-people-unknown", {"unknown": ["eve"], "known": []})
    assert (found.kind, found.code, found.severity, found.subject) == ("failure", "option-refused", "error", "vpn_people")
    assert found.text == "vpn_people: eve is not allowed. Allowed: users with a certificate: none."


@pytest.mark.parametrize(("name", "values"), [("none-such", {}), ("vpn-stays", {"vpc": "vpc-1"})])
def test_missing_values_are_an_error(name: str, values: dict[str, str]) -> None:
    with pytest.raises(NoText, match=f"{name}.*(none-such|clusters)"):
        in_words(name, values)


def test_values_are_not_expanded_as_templates() -> None:
    assert in_words("vpn-stays", {"vpc": "{clusters}", "clusters": "{0}"}).text.endswith(
        "of {clusters} stays because other clusters use it: {0}."
    )


@pytest.mark.parametrize(("kind", "severity"), [(None, "warning"), ("note", "info")])
def test_each_text_can_become_a_finding(kind: str | None, severity: str) -> None:
    found = of_texts("sessions-open", kind, ["one", "two"])
    assert [(each.kind, each.text, each.severity) for each in found] == [
        (kind or "pending", text, severity) for text in ("one", "two")
    ]
    with pytest.raises(NoText, match="none-such"):
        of_texts("none-such", None, ["x"])
