#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drains Slurm nodes before maintenance, and resumes them."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_nodes
version_added: 0.1.0
short_description: Drain Slurm nodes, wait for their jobs, and resume them
author:
  - mlfleet (@mlfleet)
description:
  - Prepares nodes for a replacement or a software update. It drains their Slurm nodes and waits until these have no jobs. While
    it waits, it shows the users whose jobs still run. It can also request a repair from HyperPod.
  - The module runs on one node of the cluster, preferably a controller node. Slurm's commands connect to the active C(slurmctld)
    themselves.
  - Nodes that were drained in a different way are not changed and never resumed.
  - If a repair by HyperPod was requested for a node, either with O(state=asked) or by HyperPod itself, the module does not drain
    the node. It does not wait for jobs that run only on such nodes.
  - Jobs are never cancelled.
  - No other collection has such a module.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  state:
    description:
      - State of the nodes.
    type: str
    choices:
      drained: The nodes get no new jobs, and the module waits for their running jobs.
      resumed: Nodes that this module drained accept jobs again.
      asked: >-
        A reboot or a replacement is requested from HyperPod. The nodes get the Slurm state C(fail) and the reason on which
        HyperPod acts. Nodes with a different reason are refused. Nodes with jobs are also refused, but not in check mode.
      query: Nothing is changed. The module also reads features, partitions, reservations and generic resources of the nodes.
    required: true
  addresses:
    description:
      - Private IPv4 addresses of the nodes. RV(slurm_nodes.unknown) lists the addresses that have no Slurm node.
    type: list
    elements: str
    required: true
  reason:
    description:
      - Reason for the drain. Slurm shows it after C(mlfleet.hyperpod:), which marks the nodes that this module drained. Required
        with O(state=drained).
      - With O(state=resumed), the beginning of the reason. Nodes that were drained for a different reason are not resumed.
      - With O(state=asked), the beginning of a drain reason that may be overwritten. The reason that the health check of
        M(mlfleet.hyperpod.slurm_health_hooks) set may always be overwritten.
    type: str
    default: ""
  asks_for:
    description:
      - Repair to request from HyperPod. Required with O(state=asked).
    type: str
    choices:
      reboot: The reason is C(Action:Reboot).
      replace: The reason is C(Action:Replace). The data on the disks of the nodes is lost.
  jobs:
    description:
      - What to do if the nodes to drain have jobs.
    type: str
    choices:
      wait: The module waits for the jobs, up to O(wait_timeout).
      refuse: The module fails and changes nothing.
    default: wait
  wait_timeout:
    description:
      - Seconds to wait for jobs, V(0) to V(86400). Jobs that remain after this time are returned and are pending.
      - With O(state=query), seconds to wait until HyperPod has completed the repairs. A repair is complete when the node no
        longer has the reason that O(state=asked) sets. If a node still has such a reason after a wait, the module fails.
    type: int
    default: 0
  poll_interval:
    description:
      - Seconds between two polls.
    type: int
    default: 10
requirements:
  - Slurm's commands on the node
seealso:
  - module: mlfleet.hyperpod.cluster_nodes
  - module: mlfleet.hyperpod.cluster_software
"""

EXAMPLES = r"""
- name: Drain a node, and wait up to an hour for its jobs
  mlfleet.hyperpod.slurm_nodes:
    state: drained
    addresses: [10.1.2.3]
    reason: memory errors, ticket 4711
    wait_timeout: 3600
  become: true
  register: drained

- name: Request a replacement from HyperPod
  mlfleet.hyperpod.slurm_nodes:
    state: asked
    asks_for: replace
    addresses: [10.1.2.3]
  become: true

- name: Wait until HyperPod has completed the replacement
  mlfleet.hyperpod.slurm_nodes:
    state: query
    addresses: [10.1.2.3]
    wait_timeout: 7200
  become: true

- name: Resume the node
  mlfleet.hyperpod.slurm_nodes:
    state: resumed
    addresses: [10.1.2.3]
  become: true
"""

RETURN = r"""
slurm_nodes:
  description: The nodes and their jobs. In check mode, the predicted nodes and jobs.
  returned: success
  type: dict
  contains:
    nodes:
      description: Slurm nodes that have the given addresses.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the node.
          type: str
        address:
          description: Address of the node in Slurm, or its name.
          type: str
        state:
          description: State in Slurm, without flags.
          type: str
        reason:
          description: Reason of the drain in Slurm.
          type: str
        ours:
          description: Whether this module drained the node.
          type: bool
        features:
          description: Active or available features of the node. Returned only with O(state=query), and only if C(scontrol)
            returns them.
          type: list
          elements: str
        partitions:
          description: Partitions of the node, including hidden ones. Returned under the same conditions as C(features).
          type: list
          elements: str
        reservations:
          description: Active reservations of the node. Returned under the same conditions as C(features).
          type: list
          elements: str
        gres:
          description: Generic resources of the node in Slurm's format. Returned under the same conditions as C(features).
          type: list
          elements: str
    jobs:
      description: Jobs on any of the nodes. Each job has the names of all its nodes.
      type: list
      elements: dict
    unknown:
      description: Addresses that have no Slurm node.
      type: list
      elements: str
  sample:
    nodes:
      - name: ip-10-1-2-3
        address: 10.1.2.3
        state: draining
        reason: "mlfleet.hyperpod: memory errors, ticket 4711"
        features: [SageMakerDeepHealthCheck:InProgress]
        partitions: [dev, hyperpod-system-maintenance]
        reservations: [hyperpod-deep-health-check]
        gres: ["gpu:h100:8(S:0-1)"]
        ours: true
    jobs:
      - id: "4711"
        user: alice
        state: RUNNING
        nodes: [ip-10-1-2-3]
    unknown: []
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
hyperpod_findings:
  description: Findings about remaining jobs, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import run_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.apply import apply
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.result import result

SPEC: dict[str, dict[str, t.Any]] = {
    "state": {"type": "str", "choices": ["drained", "resumed", "asked", "query"], "required": True},
    "addresses": {"type": "list", "elements": "str", "required": True},
    "reason": {"type": "str", "default": ""},
    "asks_for": {"type": "str", "choices": ["reboot", "replace"]},
    "jobs": {"type": "str", "choices": ["wait", "refuse"], "default": "wait"},
    "wait_timeout": {"type": "int", "default": 0},
    "poll_interval": {"type": "int", "default": 10},
}


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    return Resource(
        observe=lambda: observe(desired),
        plan=lambda state: plan(desired, state),
        apply=apply,
        result=result,
    )


def main() -> None:
    run_node(AnsibleModule(argument_spec=SPEC, supports_check_mode=True), resource, lock=False)


if __name__ == "__main__":
    main()
