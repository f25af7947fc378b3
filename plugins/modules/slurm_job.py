#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job of Slurm that wishes for few leaf switches."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_job
version_added: 0.1.0
short_description: Submit a batch job to Slurm by topology, and wait for it
author:
  - mlfleet (@mlfleet)
description:
  - Submits a batch script by C(sbatch) as a user of the cluster, with a wish for few leaf switches (C(--switches)), waits, and says
    in plain words why it waits.
  - Runs on one node of the cluster, best a controller.
  - C(--switches) is a wish. Slurm gives it up after C(max_switch_wait), whatever the job asks for, and starts the job anywhere.
    With O(placement=required) the job asks for a long wait; the module tells where Slurm allows less, and refuses it where Slurm
    would not look at the wish at all. Whether the job is where it was to be is proven afterwards, by the leaf switches above
    RV(job.nodes), which this module does not know.
  - A job is known by its user, its name, and a hash of its script and of the options that define it, which it has as comment
    C(mlfleet.hyperpod:PLACEMENT:HASH). The same hash changes nothing, whatever became of the job, and a job that has ended is not
    run again. One that was cancelled is gone, and is submitted anew.
  - A job that has ended is known by C(sacct), where the cluster keeps accounting, for a year; otherwise only while C(slurmctld)
    remembers it, which is C(MinJobAge), 5 minutes by default. Then it is submitted again.
  - A job that is there is never changed.
  - No other collection has Slurm's jobs.
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
attributes:
  check_mode:
    support: full
    details:
      - Also refuses what Slurm would not look at. It waits for nothing.
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
      present: The job was submitted.
      absent: No job of ours with this name waits or runs. It is cancelled.
      query: Nothing is changed. The job is told.
    default: present
  name:
    description:
      - Name of the job.
    type: str
    required: true
  user:
    description:
      - Account of the node as which the job is submitted and runs, with its groups, its home directory, and what Slurm allows it.
        Of its environment the job has C(HOME), C(USER), C(LOGNAME), C(SHELL) and C(PATH); a script that needs the rest begins with
        C(#!/bin/bash -l).
      - Nothing runs as V(root) unless it is named here.
    type: str
    required: true
  script:
    description:
      - Text of the batch script. Needed with O(state=present). It goes to C(sbatch) on standard input.
      - Its C(#SBATCH) lines count where no option here says something else. One that makes several jobs of it is refused, and so is
        such a line with C(#PBS), which C(sbatch) reads as well.
    type: str
    default: ""
  nodes:
    description:
      - Nodes of the job, V(1) to V(10000).
    type: int
    default: 1
  partition:
    description:
      - Its partition; by default what the script says, or Slurm's default one.
    type: str
    default: ""
  working_directory:
    description:
      - Folder in which the script starts, and its output is written by default. The home directory of O(user) by default.
    type: str
    default: ""
  placement:
    description:
      - Whether its nodes must be, or should be, below at most O(switches) leaf switches.
    type: str
    choices:
      required: >-
        It asks Slurm to wait 7 days for them, unless O(switches_wait) says something else. Where Slurm has no tree of switches, and
        O(leaves) says that there are several, it is refused.
      preferred: It asks Slurm to wait as long as Slurm allows, unless O(switches_wait) says something else.
      none: Nothing is asked for beside what the script asks for itself.
    default: none
  switches:
    description:
      - Most leaf switches, V(1) to V(1000).
    type: int
    default: 1
  switches_wait:
    description:
      - Seconds that Slurm is asked to wait for so few leaf switches, V(1) to V(604800).
    type: int
  leaves:
    description:
      - How many leaf switches the nodes of the cluster are below, as who calls this knows; V(0) where nobody does.
    type: int
    default: 0
  replace:
    description:
      - Whether a job of the same user and name that was made of another script, or of other options, is cancelled first. It is
        refused otherwise, with the difference, also where that one has ended.
    type: bool
    default: false
  force:
    description:
      - Whether a job that this module has not submitted may be cancelled by O(state=absent) or O(replace=true).
    type: bool
    default: false
  wait:
    description:
      - What is waited for. V(running) until it has its nodes and runs, V(finished) until it has ended well. A job that fails or is
        cancelled ends the wait at once.
      - With O(state=absent) all but V(none) wait until it is gone.
    type: str
    choices: [none, running, finished]
    default: running
  wait_timeout:
    description:
      - Seconds to wait, V(0) to V(604800). The job stays in its queue when they are over, and the module fails.
    type: int
    default: 1800
  poll_interval:
    description:
      - Seconds between two looks, V(1) to V(300).
    type: int
    default: 10
requirements:
  - Slurm's commands on the node
notes:
  - Not yet run on a cluster of HyperPod's.
seealso:
  - module: mlfleet.hyperpod.slurm_job_info
  - module: mlfleet.hyperpod.topology_job
  - name: sbatch
    description: What C(--switches) means.
    link: https://slurm.schedmd.com/sbatch.html
  - name: Topology guide of Slurm
    description: Trees of switches, and C(topology.conf).
    link: https://slurm.schedmd.com/topology.html
"""

EXAMPLES = r"""
- name: Four nodes below one leaf switch
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

- name: Take it back
  mlfleet.hyperpod.slurm_job:
    name: llama
    user: alice
    state: absent
  become: true
"""

RETURN = r"""
job:
  description: The job; in check mode as it would be. Texts are printable, whoever wrote them.
  returned: success, and when it failed, or waits still
  type: dict
  contains:
    id:
      description: Its number; V(0) where there is none.
      type: int
    name:
      description: Its name.
      type: str
    user:
      description: Its user.
      type: str
    ours:
      description: This module has submitted it.
      type: bool
    state:
      description: V(absent), V(waiting), V(running), V(ending), V(succeeded), V(failed) or V(cancelled).
      type: str
    slurm_state:
      description: The same in Slurm's words.
      type: str
    why:
      description: Why it waits, or has failed; empty otherwise.
      type: str
    nodes:
      description: Names of its nodes.
      type: list
      elements: str
    partition:
      description: Its partition.
      type: str
    placement:
      description: V(required), V(preferred) or V(none); empty for a job that is not ours.
      type: str
    switches:
      description: Most leaf switches that it asks for, as Slurm has it; V(0) for none, and for a job that Slurm has forgotten.
      type: int
    switches_wait:
      description: Seconds that Slurm waits for them; no more than C(max_switch_wait).
      type: int
    hash:
      description: Of the script and the options; empty for a job that is not ours.
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
  description: What was changed, or would be in check mode.
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
