#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Submits a Slurm job with few leaf switches."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_job
version_added: 0.1.0
short_description: Submit a topology-aware batch job to Slurm
author:
  - mlfleet (@mlfleet)
description:
  - Submits a batch script with C(sbatch) as a user of the cluster, with a request for few leaf switches (C(--switches)). The
    module waits for the job. If the job does not start, the module returns the reason.
  - The module runs on one node of the cluster, preferably a controller node.
  - C(--switches) is only a preference. After C(max_switch_wait), Slurm starts the job on any nodes. With O(placement=required),
    the job requests a long wait. The module warns if Slurm allows only a shorter wait. It refuses the job if Slurm would ignore
    the request although the nodes are below several leaf switches (O(leaves)).
  - This module does not know the leaf switches of nodes. To verify the placement, compare the leaf switches of RV(job.nodes).
  - A job is identified by its user, its name, and a hash of its script and options. The comment of the job,
    C(mlfleet.hyperpod:PLACEMENT:HASH), contains the hash. If the hash is the same, nothing changes, and a job that has ended is
    not run again. A job that was cancelled is submitted again.
  - If the cluster has accounting, the module finds a job with C(sacct) for a year after its end. Otherwise it finds a job only
    until the C(MinJobAge) of C(slurmctld) has passed, by default 5 minutes after its end. After that, it submits the job again.
  - The module never changes an existing job.
  - No other collection has such a module.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
    details:
      - Check mode refuses the same jobs, and does not wait.
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  state:
    description:
      - State of the job.
    type: str
    choices:
      present: The job is submitted.
      absent: No job of this module with this name waits or runs. Such jobs are cancelled.
      query: Nothing is changed. The job is returned.
    default: present
  name:
    description:
      - Name of the job.
    type: str
    required: true
  user:
    description:
      - Account on the node that submits and runs the job, with its groups, its home directory and its limits in Slurm.
      - The environment of the job contains only C(HOME), C(USER), C(LOGNAME), C(SHELL) and C(PATH). A script that needs more must
        begin with C(#!/bin/bash -l).
      - The job runs as V(root) only if this option is V(root).
    type: str
    required: true
  script:
    description:
      - Text of the batch script, which the module passes to C(sbatch) on standard input. Required with O(state=present).
      - The C(#SBATCH) lines of the script apply unless an option overrides them. A line that creates several jobs is refused.
        This includes C(#PBS) lines, which C(sbatch) also reads.
    type: str
    default: ""
  nodes:
    description:
      - Number of nodes of the job, V(1) to V(10000).
    type: int
    default: 1
  partition:
    description:
      - Partition of the job. The default is the partition in the script, or else the default partition of Slurm.
    type: str
    default: ""
  working_directory:
    description:
      - Folder in which the script starts, and to which it writes its output by default. The default is the home directory of
        O(user).
    type: str
    default: ""
  placement:
    description:
      - Whether the nodes must, or should, be below at most O(switches) leaf switches.
    type: str
    choices:
      required: >-
        The job requests a wait of 7 days, unless O(switches_wait) is set. If Slurm has no tree of switches, and O(leaves) is more
        than one, the job is refused.
      preferred: The job requests the longest wait that Slurm allows, unless O(switches_wait) is set.
      none: The module adds no request to the script.
    default: none
  switches:
    description:
      - Maximum number of leaf switches, V(1) to V(1000).
    type: int
    default: 1
  switches_wait:
    description:
      - Seconds for which Slurm waits for that number of leaf switches, V(1) to V(604800).
    type: int
  leaves:
    description:
      - Number of leaf switches above the nodes of the cluster. V(0) if unknown.
    type: int
    default: 0
  replace:
    description:
      - Whether to first cancel a job of the same user and name that has a different script or different options. With V(false),
        the new job is refused, even if the other job has ended. The message contains the difference.
    type: bool
    default: false
  force:
    description:
      - Whether O(state=absent) and O(replace=true) may cancel a job that this module did not submit.
    type: bool
    default: false
  wait:
    description:
      - State for which the module waits. V(running) waits until the job has its nodes and runs. V(finished) waits until the job
        has ended successfully. If the job fails or is cancelled, the module fails immediately.
      - With O(state=absent), all values except V(none) wait until the job no longer exists.
    type: str
    choices: [none, running, finished]
    default: running
  wait_timeout:
    description:
      - Seconds to wait, V(0) to V(604800). After this time, the module fails, and the job stays in the queue or continues to run.
    type: int
    default: 1800
  poll_interval:
    description:
      - Seconds between two polls, V(1) to V(300).
    type: int
    default: 10
requirements:
  - Slurm's commands on the node
notes:
  - This module has not yet run on a HyperPod cluster.
seealso:
  - module: mlfleet.hyperpod.slurm_job_info
  - module: mlfleet.hyperpod.topology_job
  - name: sbatch
    description: Explains C(--switches).
    link: https://slurm.schedmd.com/sbatch.html
  - name: Topology guide of Slurm
    description: Explains trees of switches and C(topology.conf).
    link: https://slurm.schedmd.com/topology.html
"""

EXAMPLES = r"""
- name: Submit a job for four nodes below one leaf switch
  mlfleet.hyperpod.slurm_job:
    name: llama
    user: alice
    script: "{{ lookup('ansible.builtin.file', 'llama.sh') }}"
    nodes: 4
    partition: dev
    working_directory: /fsx/alice
    placement: required
    wait_timeout: 86400
  become: true
  register: llama

- name: Cancel the job
  mlfleet.hyperpod.slurm_job:
    name: llama
    user: alice
    state: absent
  become: true
"""

RETURN = r"""
job:
  description: The job. In check mode, the predicted job. All texts are printable.
  returned: success, and if it failed or still waits
  type: dict
  contains:
    id:
      description: ID of the job. V(0) if the job does not exist.
      type: int
    name:
      description: Name of the job.
      type: str
    user:
      description: User of the job.
      type: str
    ours:
      description: Whether this module submitted the job.
      type: bool
    state:
      description: V(absent), V(waiting), V(running), V(ending), V(succeeded), V(failed) or V(cancelled).
      type: str
    slurm_state:
      description: State in Slurm.
      type: str
    why:
      description: Why the job waits or failed. Empty otherwise.
      type: str
    nodes:
      description: Names of the nodes of the job.
      type: list
      elements: str
    partition:
      description: Partition of the job.
      type: str
    placement:
      description: V(required), V(preferred) or V(none). Empty for a job that this module did not submit.
      type: str
    switches:
      description: Maximum number of leaf switches of the job in Slurm. V(0) without a limit, or if Slurm no longer has the job.
      type: int
    switches_wait:
      description: Seconds for which Slurm waits for this number of leaf switches, at most C(max_switch_wait).
      type: int
    hash:
      description: Hash of the script and the options. Empty for a job that this module did not submit.
      type: str
  sample:
    id: 4711
    name: llama
    user: alice
    ours: true
    state: running
    slurm_state: RUNNING
    why: ""
    nodes: [ip-10-1-2-3, ip-10-1-2-4]
    partition: dev
    placement: required
    switches: 1
    switches_wait: 604800
    hash: 9f86d081884c7d659a2feaa0c55ad015
changes:
  description: The changes. In check mode, the predicted changes.
  returned: always
  type: list
  elements: dict
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import run_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.model import QUERY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.observe import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.result import result


def resource(module: t.Any) -> Resource:
    desired = options.desired(module.params)
    return Resource(
        observe=lambda: observe(desired),
        plan=lambda state: plan(desired, state),
        apply=Applier(desired),
        result=lambda state: result(desired, state),
    )


def main() -> None:
    module = AnsibleModule(argument_spec=options.SPEC, supports_check_mode=True)
    run_node(module, resource, lock=module.params["state"] != QUERY)


if __name__ == "__main__":
    main()
