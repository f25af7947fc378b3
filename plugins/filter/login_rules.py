# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inbound rules of the login balancer."""

from __future__ import annotations

DOCUMENTATION = r"""
name: login_rules
short_description: The inbound rules of the login balancer's security group
version_added: 0.1.0
author:
  - mlfleet (@mlfleet)
description:
  - Where nobody may connect there is no rule, since a rule without a source would admit everybody.
notes:
  - Internal to the collection; it may change with any version.
positional: groups
options:
  _input:
    description: Address ranges; with a null value and no security groups, those of the VPC.
    type: raw
    required: true
  groups:
    description: Ids of security groups whose members may connect.
    type: list
    elements: str
    required: true
  vpn_groups:
    description: Ids of the security groups of the VPC's client VPN.
    type: list
    elements: str
    required: true
  vpc_cidrs:
    description: Address ranges of the VPC.
    type: list
    elements: str
    required: true
  port:
    description: The port that people connect to.
    type: int
    required: true
"""

EXAMPLES = r"""
- name: Show the rules
  ansible.builtin.debug:
    msg: "{{ none | mlfleet.hyperpod.login_rules([], vpn_groups=[], vpc_cidrs=['10.0.0.0/16'], port=22) }}"
"""

RETURN = r"""
_value:
  description: Rules as M(amazon.aws.ec2_security_group) takes them.
  type: list
  elements: dict
  sample: []
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.admission import rules


class FilterModule:
    """Registers the filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"login_rules": rules}
