# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: run_state
author: mlfleet (@mlfleet)
version_added: 0.1.0
short_description: Set fields of a host's run state
description:
  - Returns the variable C(hyperpod_run) of a host with some fields set. Store the result with C(ansible.builtin.set_fact). Do
    not use facts that a module or action plugin returns, because nodes can also write such facts.
  - A field that is not in the schema, or a value of the wrong type, is an error.
  - This lookup is for the roles of this collection. The page docs/design/run-state.md lists the fields.
options:
  _terms:
    description: The host. Default is the current host.
  anew:
    description:
      - Whether to discard the fields that were set before, for example when a second playbook of a run connects to the node.
    type: bool
    default: false
  _fields:
    description: Fields of the schema, as keyword arguments.
    type: dict
"""

EXAMPLES = r"""
- name: Record that the node was reached
  ansible.builtin.set_fact:
    hyperpod_run: "{{ lookup('mlfleet.hyperpod.run_state', reached=true) }}"
"""

RETURN = r"""
_raw:
  description: One dictionary with the fields that were set before and the fields that this call sets.
  type: list
  elements: dict
"""

import typing as t

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import state


class LookupModule(LookupBase):
    def run(
        self, terms: list[str], variables: t.Any = None, anew: bool = False, **fields: t.Any
    ) -> list[dict[str, t.Any]]:
        host = terms[0] if terms else variables["inventory_hostname"]
        known = variables if host == variables["inventory_hostname"] else variables["hostvars"][host]
        before = {} if anew else known.get(state.NAME, {})
        try:
            return [{**before, **state.checked(state.schema_of(known), fields)}]
        except state.NoField as error:
            raise AnsibleError(f"{host}: {error}") from error
