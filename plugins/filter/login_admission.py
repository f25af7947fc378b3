# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges who may connect to the login balancer."""

from __future__ import annotations

DOCUMENTATION = r"""
name: login_admission
short_description: What is wrong with who may connect to the login balancer, and what is worth a note
version_added: 0.1.0
author:
  - mlfleet (@mlfleet)
description:
  - The whole internet is only admitted where somebody confirmed it.
notes:
  - Internal to the collection; it may change with any version.
positional: groups
options:
  _input:
    description: Address ranges; a null value means that none are declared, which is not an empty list.
    type: raw
    required: true
  groups:
    description: Ids of security groups whose members may connect.
    type: list
    elements: str
    required: true
  scheme:
    description: V(internal) or V(internet-facing).
    type: str
    required: true
  confirmed:
    description: Whether the whole internet may connect.
    type: bool
    required: true
  cluster:
    description: The key of the cluster.
    type: str
    required: true
  without_groups:
    description: Whether the load balancer is an adopted one that can have no security groups.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Show what is wrong
  ansible.builtin.debug:
    msg: "{{ ['0.0.0.0/0'] | mlfleet.hyperpod.login_admission([], scheme='internet-facing', confirmed=false, cluster='ml') }}"
"""

RETURN = r"""
_value:
  description: The lists C(problems) and C(notes), of sentences.
  type: dict
  sample:
    problems: []
    notes: []
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.admission import judged


class FilterModule:
    """Registers the filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"login_admission": judged}
