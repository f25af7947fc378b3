#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm nodes that take no jobs while somebody works on their machines."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_nodes
version_added: 0.1.0
short_description: Take Slurm nodes out of work, wait for their jobs, have HyperPod repair them, and put them back
author:
  - mlfleet (@mlfleet)
description:
  - Before machines are replaced or get new software. Drains their Slurm nodes, waits until no job is left on them, and shows
    meanwhile for whose jobs it waits.
  - Runs on one node of the cluster, best a controller. The commands reach the active C(slurmctld) themselves.
  - What somebody else has drained stays so, and is never put back. A node for which HyperPod was asked, by a reason as
    O(state=asked) writes it, is HyperPod's. Such a node is not drained, and jobs that are on no other one are not waited for.
  - Jobs are never cancelled.
  - No other collection has Slurm's nodes.
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
      - What is wanted.
    type: str
    choices:
      drained: The nodes take no new jobs, and those that they have were waited for.
      resumed: Nodes that this module has drained take jobs again.
      asked: >-
        HyperPod is asked for a reboot or a replacement: the nodes have Slurm's state C(fail) and as their reason the words on which
        HyperPod acts. It refuses nodes that have somebody else's reason, and, without check mode, nodes with jobs.
      query: Nothing is changed. Features, partitions, reservations and generic resources of the nodes are read, too.
    required: true
  addresses:
    description:
      - Private IPv4 addresses of the machines. One that no Slurm node has is returned as unknown.
    type: list
    elements: str
    required: true
  reason:
    description:
      - Why the nodes take no jobs. Slurm shows it behind C(mlfleet.hyperpod:), by which they are known later. Required with
        O(state=drained).
      - With O(state=resumed), what the reason begins with. Nodes that were drained for another reason stay so.
      - With O(state=asked), what the reason of a drain begins with that may be overwritten. That of the check which
        M(mlfleet.hyperpod.slurm_health_hooks) installs may be in any case.
    type: str
    default: ""
  asks_for:
    description:
      - What HyperPod is asked for. Required with O(state=asked).
    type: str
    choices:
      reboot: The reason is C(Action:Reboot).
      replace: The reason is C(Action:Replace). The disks of the machines are lost.
  jobs:
    description:
      - What to do while there are jobs on nodes that are to be drained.
    type: str
    choices:
      wait: They are waited for, up to O(wait_timeout).
      refuse: Nothing is changed, and the module fails.
    default: wait
  wait_timeout:
    description:
      - Seconds to wait for jobs, from V(0) to V(86400). Those that are left then are returned, and pending.
      - With O(state=query), seconds to wait until no node has a reason of O(state=asked) any more, which is how HyperPod shows
        that it is done. The module fails if one has it still.
    type: int
    default: 0
  poll_interval:
    description:
      - Seconds between two looks.
    type: int
    default: 10
requirements:
  - Slurm's commands on the node
seealso:
  - module: mlfleet.hyperpod.cluster_nodes
  - module: mlfleet.hyperpod.cluster_software
"""

EXAMPLES = r"""
- name: No new jobs; up to an hour for those that run
  mlfleet.hyperpod.slurm_nodes:
    state: drained
    addresses: [10.1.2.3]
    reason: memory errors, ticket 4711
    wait_timeout: 3600
  become: true
  register: drained

- name: Ask HyperPod for another machine
  mlfleet.hyperpod.slurm_nodes:
    state: asked
    asks_for: replace
    addresses: [10.1.2.3]
  become: true

- name: Wait until HyperPod is done
  mlfleet.hyperpod.slurm_nodes:
    state: query
    addresses: [10.1.2.3]
    wait_timeout: 7200
  become: true

- name: Back to work
  mlfleet.hyperpod.slurm_nodes:
    state: resumed
    addresses: [10.1.2.3]
  become: true
"""

RETURN = r"""
slurm_nodes:
  description: The nodes and their jobs; in check mode as they would be.
  returned: success
  type: dict
  contains:
    nodes:
      description: Slurm nodes at the addresses.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the node.
          type: str
        address:
          description: Its address as Slurm has it, or its name.
          type: str
        state:
          description: Its state in Slurm's words, without the signs behind it.
          type: str
        reason:
          description: Why it takes no jobs, as somebody told Slurm.
          type: str
        ours:
          description: This module has drained it.
          type: bool
        features:
          description: Features that are active or available on it. Only with O(state=query), and as far as C(scontrol) tells.
          type: list
          elements: str
        partitions:
          description: Partitions that it is in, hidden ones, too; as RV(slurm_nodes.nodes[].features).
          type: list
          elements: str
        reservations:
          description: Active reservations that it is in; as RV(slurm_nodes.nodes[].features).
          type: list
          elements: str
        gres:
          description: Generic resources that Slurm gives out there, in its words; as RV(slurm_nodes.nodes[].features).
          type: list
          elements: str
    jobs:
      description: Jobs that are on any of them, each with the names of all its nodes.
      type: list
      elements: dict
    unknown:
      description: Addresses that no Slurm node has.
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
  description: What was changed, or would be in check mode.
  returned: always
  type: list
  elements: dict
hyperpod_findings:
  description: Jobs that are left, with the codes of C(docs/reference/findings.md).
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
