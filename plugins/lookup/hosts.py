# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: hosts
author: mlfleet (@mlfleet)
version_added: 0.1.0
short_description: Restrict the hosts of a play to the selected clusters
description:
  - Applies C(hyperpod_only) to the C(hosts) of a play. A selected cluster always includes all its hosts.
  - This lookup is for the playbooks of this collection. Ansible templates the C(hosts) of a play without host variables, so
    C(hyperpod_only) cannot be a host variable.
options:
  _terms:
    description: A host pattern.
    required: true
  left_alone:
    description: Whether to also exclude the clusters in C(hyperpod_left_alone), which C(reconcile) found unchanged.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Check some clusters
  hosts: "{{ lookup('mlfleet.hyperpod.hosts', 'hyperpod_clusters') }}"
  tasks: []
"""

RETURN = r"""
_raw:
  description: One host pattern.
  type: list
  elements: str
  sample: ['hyperpod_clusters:!cluster_other']
"""

import typing as t

from ansible.plugins.lookup import LookupBase
from ansible.template import accept_lazy_markers
from ansible_collections.mlfleet.hyperpod.plugins.lookup.view import Defined, Reader
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_scope import pattern


@accept_lazy_markers
class LookupModule(LookupBase):
    def run(self, terms: list[str], variables: t.Any = None, **kwargs: t.Any) -> list[str]:
        self.set_options(var_options=variables, direct=kwargs)
        (hosts,) = terms
        defined = Defined(variables, Reader(loader=self._loader, templar=self._templar))
        selected = pattern(hosts, defined.get("hyperpod_only", ""), defined["groups"])
        return [selected + (defined.get("hyperpod_left_alone", "") if self.get_option("left_alone") else "")]
