# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hosts of the first play."""

from __future__ import annotations

DOCUMENTATION = r"""
name: begin_hosts
short_description: A host pattern of which at least one host is in the run
version_added: 0.1.0
author:
  - mlfleet (@mlfleet)
description:
  - Whatever the limit is, the first play of a playbook must find a host that judges the run, or fail.
notes:
  - Internal to the collection; it may change with any version.
positional: groups, asked
options:
  _input:
    description: The hosts of the run, C(ansible_play_hosts_all) as a play knows it before it has hosts.
    type: list
    elements: str
    required: true
  groups:
    description: All groups, C(groups).
    type: dict
    required: true
  asked:
    description:
      - What was asked for - C(only), C(limit), C(sources), C(read), C(failures) and C(without_nodes), all of them optional.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Begin
  hosts: "{{ ansible_play_hosts_all | mlfleet.hyperpod.begin_hosts(groups, {'limit': ansible_limit | default('')}) }}"
  tasks: []
"""

RETURN = r"""
_value:
  description: The pattern.
  type: str
  sample: all
"""

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import run_scope


def begin_hosts(hosts: t.Sequence[str], groups: run_scope.Groups, asked: t.Mapping[str, t.Any]) -> str:
    try:
        return run_scope.begin_hosts(hosts, groups, run_scope.Asked(**asked))
    except run_scope.BadSelection as error:
        raise AnsibleFilterError(str(error)) from error


class FilterModule:
    """Registers the filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"begin_hosts": begin_hosts}
