# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: fleet
author: mlfleet (@mlfleet)
version_added: 0.1.0
short_description: List nodes of the current host's cluster by their state in the run
description:
  - Reads the variable C(hyperpod_run) of each node, in which a run records the node's state; see the lookup
    P(mlfleet.hyperpod.run_state#lookup).
  - The groups of the current host determine the cluster. The current host is the cluster's host or one of the cluster's nodes.
options:
  _terms:
    description:
      - Which nodes to return.
      - For example, V(dirty) are nodes with planned changes, V(conflicting) are nodes that conflict with the declared users and
        groups, V(locked_out) are nodes that refuse the SSH connections of this run, and V(users_seen) are nodes that have the
        declared users.
    choices: [configured, conflicting, dirty, failed, locked_out, login_nodes, nodes, reached, ready, users_seen]
    required: true
  give:
    description: Whether to return host names or instance IDs.
    type: str
    choices: [host, instance_id]
    default: host
"""

EXAMPLES = r"""
- name: Skip the lock if nothing needs a change
  ansible.builtin.meta: end_host
  when: query('mlfleet.hyperpod.fleet', 'dirty') | length == 0
"""

RETURN = r"""
_raw:
  description: The nodes, in the order of the inventory.
  type: list
  elements: str
"""

import typing as t

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet


class LookupModule(LookupBase):
    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[str]:
        self.set_options(var_options=variables, direct=kwargs)
        (question,) = terms
        if question not in fleet.QUESTIONS:
            raise AnsibleError(refusal_text("fleet", question, ", ".join(fleet.QUESTIONS)))
        try:
            nodes = getattr(fleet.of(variables), question)
        except fleet.NoCluster as error:
            raise AnsibleError(str(error)) from error
        return [getattr(node, self.get_option("give")) for node in nodes]
