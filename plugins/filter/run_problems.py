# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a run is about whole clusters."""

from __future__ import annotations

DOCUMENTATION = r"""
name: run_problems
short_description: Why a run is refused, from its hosts
version_added: 0.1.0
author:
  - mlfleet (@mlfleet)
description:
  - A run is refused if the inventory has no Slurm cluster, or limit and selection leave none, or a cluster is not whole in
    it, or an inventory was cut after it was read.
  - Warns of a run that nobody judges, since the callback P(mlfleet.hyperpod.report#callback) is not enabled.
notes:
  - Internal to the collection; it may change with any version.
positional: groups, hostvars, asked
options:
  _input:
    description: The hosts of the run.
    type: list
    elements: str
    required: true
  groups:
    description: All groups, C(groups).
    type: dict
    required: true
  hostvars:
    description: The variables of all hosts, C(hostvars). Those of clusters are read.
    type: dict
    required: true
  asked:
    description:
      - What was asked for - C(only), C(limit), C(sources), C(read), C(failures) and C(without_nodes), all of them optional.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show whether the run is about whole clusters
  ansible.builtin.debug:
    msg: "{{ ansible_play_hosts_all | mlfleet.hyperpod.run_problems(groups, hostvars, {'limit': ansible_limit | default('')}) }}"
"""

RETURN = r"""
_value:
  description: One sentence for each reason.
  type: list
  elements: str
  sample: []
"""

import typing as t

from ansible import constants
from ansible.utils.display import Display
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import run_scope

CALLBACK = "mlfleet.hyperpod.report"
NOT_JUDGED = (
    f"Nobody judges this run: there is no verdict, no report.json and no artifact. Write callbacks_enabled = {CALLBACK} under "
    "[defaults] in ansible.cfg, which ansible-playbook reads from the folder that it is started in."
)


def run_problems(
    hosts: t.Sequence[str], groups: run_scope.Groups, hostvars: run_scope.HostVars, asked: t.Mapping[str, t.Any]
) -> list[str]:
    if CALLBACK not in constants.CALLBACKS_ENABLED:
        Display().warning(NOT_JUDGED)  # once a run, however many playbooks begin
    return run_scope.problems(hosts, groups, hostvars, run_scope.Asked(**asked))


class FilterModule:
    """Registers the filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"run_problems": run_problems}
