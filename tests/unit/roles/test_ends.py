# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the roles say ends: each thing alone makes a cluster not quiet once it may be renewed."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template

ROLES = Path(__file__).resolve().parents[3] / "roles"
END = "2027-01-01T00:00:00Z"


def rendered(text: str, **variables: t.Any) -> t.Any:
    return Templar(loader=DataLoader(), variables=variables).template(trust_as_template(text))


def of_host_keys(name: str, **variables: t.Any) -> t.Any:
    return rendered(yaml.safe_load((ROLES / "host_keys/vars/main.yml").read_text())[name], **variables)


def test_of_host_certificates():
    signed = {"__host_keys_signed": {"host_certificates": [{"valid_until": END}, {"valid_until": None}]}}
    found = of_host_keys(
        "__host_keys_certificate_ends", __host_keys_identified=[signed, {}], host_keys_certificate_renew_days="7"
    )
    assert found == [{"until": END, "days": 7}]


@pytest.mark.parametrize(
    ("rotation", "ends"),
    [(None, []), ({"next": None}, []), ({"next": {"created": END}}, [{"until": END, "days": -30}])],
)
def test_of_a_rotation(rotation, ends):
    """Its finish may come so many days after its start."""
    found = of_host_keys("__host_keys_rotation_ends", hyperpod_run={"rotation": rotation}, host_keys_rotation_minimum_days="30")
    assert found == ends
