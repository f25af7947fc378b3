# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation of modules says what their specifications and tables of fields say."""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer import model as load_balancer_fields
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group import model as target_group_fields
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION
from ansible_collections.mlfleet.hyperpod.plugins.modules import (
    balancer_adoption,
    login_targets,
    network_load_balancer,
    security_group_rule,
    target_group,
)


@pytest.mark.parametrize(
    ("module", "path", "table"),
    [
        (target_group, (), target_group_fields.PROPERTIES),
        (target_group, ("health_check",), target_group_fields.HEALTH_CHECK),
        (target_group, ("attributes",), target_group_fields.ATTRIBUTES),
        (network_load_balancer, ("attributes",), load_balancer_fields.ATTRIBUTES),
        (network_load_balancer, (), load_balancer_fields.PROTECTION),
    ],
)
def test_documentation_follows_the_table(module, path, table):
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    for name in path:
        options = options[name]["suboptions"]
        assert set(options) == {field.option for field in table}
    for field in table:
        documented = options[field.option]
        text = " ".join(documented["description"])
        assert documented["type"] == field.type
        assert tuple(documented.get("choices", ())) == field.choices
        assert field.about in text
        for bound in (field.low, field.high, field.word):
            assert bound is None or str(bound) in text


@pytest.mark.parametrize("module", [balancer_adoption, login_targets, network_load_balancer, security_group_rule, target_group])
def test_every_option_is_documented_as_it_is(module):
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert set(options) == set(module.SPEC) - set(LOCK_OPTION)
    for option in options:
        spec = module.SPEC[option]
        for key in ("type", "default", "elements", "aliases"):
            assert options[option].get(key) == spec.get(key), f"{option}: {key}"
        assert list(options[option].get("choices", ())) == spec.get("choices", []), option
        assert bool(options[option].get("required")) is bool(spec.get("required"))
