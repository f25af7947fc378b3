#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: node_access
version_added: 0.1.0
short_description: Set up verified SSH access to the nodes of a SageMaker HyperPod cluster
description:
  - A new node does not know the key of the controller, and the controller does not know the host keys of the node. Because IAM
    identifies the instance, a session of AWS Systems Manager reads the node's public host keys and installs the operations
    account with its key.
  - The result is recorded in Parameter Store, one parameter for each node, with the node's instance ID, launch time and time of
    the last software update. A node with a valid record needs no session. The session also writes a random mark to the disk of
    the node, which is part of the record. Different host keys on the same disk stop the run. A new disk is trusted again and
    reported, even if AWS reported no replacement or software update.
  - If C(/etc/pam.d/sshd) has C(pam_slurm_adopt), the session inserts a line before it that admits the operations account.
  - Login nodes may also present the shared host keys of the cluster after these are published in the parameter
    C(/mlfleet/hyperpod/CLUSTER_ID/host-keys).
  - Writes C(known_hosts) of the controller and the C(ssm-proxy) command into O(state_dir), which the connection options of the
    inventory plugin use. Make it the first task of a play, on the cluster's own host.
  - A node that is not Running, or does not answer, is pending and not a failure.
options:
  state:
    description:
      - Action of the module.
    type: str
    choices:
      present: Access to the nodes is set up.
      announced: If O(people) has changed, the record of users is updated before nodes are changed. Nodes are not connected to.
      configured: >-
        The trust records note that the nodes in O(instance_ids) were configured. With O(people), the nodes that still differ from
        the declaration are also recorded. Nodes are not connected to.
      absent: >-
        The trust records of the cluster and the record of users are removed, here and in Parameter Store. Nodes are not connected
        to.
    default: present
  cluster_arn:
    description:
      - ARN of the cluster.
    type: str
    required: true
  public_key:
    description:
      - Public key for Ansible's connections, on one line.
      - The key and the operations account are part of the record, so a new key requires one session for each node.
      - Required with O(state=present).
    type: str
  operations_user:
    description:
      - Operations account that Ansible uses to connect. It is created with a local home directory below C(/var/lib), without a
        password, and with passwordless sudo.
      - An existing account is used unchanged. Its home directory must not be on a network file system.
    type: str
    default: hyperpod-ops
  include:
    description:
      - Nodes to access.
    type: str
    choices:
      login: Login nodes and controllers.
      new: >-
        Login nodes, controllers, every node whose disk was not configured by a run (O(state=configured)), and with O(people)
        every node that differs from the declaration.
      all: All nodes.
    default: login
  groups:
    description:
      - Access only nodes of these instance groups.
    type: list
    elements: str
  instance_ids:
    description:
      - Access only these nodes. With O(state=absent), remove only their trust records; the nodes may have left the cluster.
    type: list
    elements: str
  node_types:
    description:
      - Node types of instance groups by name, for clusters for which the API does not return them.
    type: dict
    default: {}
  recheck:
    description:
      - Nodes to check by a session even if their record is valid.
      - A list of instance IDs, or V(true) for all.
    type: raw
    default: false
  people:
    description:
      - Declaration of users, as the role C(accounts) creates it, by name with a V(state) and a V(digest). The parameter
        C(/mlfleet/hyperpod/CLUSTER_ID/people) stores digests of it, and the nodes that do not have it yet, so that no node is
        missed on which a removed user may still have access.
      - If omitted, nothing is recorded about users.
    type: dict
  seen:
    description:
      - With O(state=configured) and O(people), the nodes that match the declaration.
    type: list
    elements: str
    default: []
  state_dir:
    description:
      - Folder on the controller for C(known_hosts), C(ssm-proxy) and the limit on session starts.
      - These files are also written in check mode, because connections need them. They do not count as a change.
    type: path
    default: ~/.mlfleet/hyperpod
  timeout:
    description:
      - Seconds for all attempts for one node.
    type: int
    default: 180
  _proxy_script:
    description:
      - Internal, set by the action plugin. Path of C(ssm_proxy.py).
    type: path
attributes:
  check_mode:
    support: full
    details:
      - Check mode opens no session. Nodes that need one are V(would_gain); other changes on them are unknown.
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
requirements:
  - Linux on the controller
  - C(aws) and C(session-manager-plugin) 1.2.764.0 or newer on the controller
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.lock_option
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes), C(ssm:StartSession) on the cluster and its managed
    instances, C(ssm:TerminateSession), and C(ssm:GetParametersByPath), C(ssm:PutParameter), C(ssm:DeleteParameters) on
    C(parameter/mlfleet/hyperpod/*). The Session Manager plugin needs further actions, see docs/reference/iam.md.'
  - Sessions and connections use O(profile) through the AWS CLI, so set a profile instead of keys.
seealso:
  - plugin: mlfleet.hyperpod.hyperpod
    plugin_type: inventory
"""

EXAMPLES = r"""
- name: Set up access to login nodes and controllers
  mlfleet.hyperpod.node_access:
    cluster_arn: "{{ hyperpod_cluster_arn }}"
    public_key: "{{ lookup('ansible.builtin.file', '~/.ssh/id_ed25519.pub') }}"
    profile: "{{ hyperpod_profile }}"
    region: "{{ hyperpod_region }}"
  register: access

- name: Check one node again
  mlfleet.hyperpod.node_access:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    public_key: "{{ operations_public_key }}"
    include: all
    recheck: [i-0123456789abcdef0]
    region: us-west-2
"""

RETURN = r"""
nodes:
  description: The accessed nodes, by instance ID.
  returned: success
  type: dict
  contains:
    access:
      description:
        - V(ready) if the access existed and is unchanged; V(gained) in this run; V(would_gain) in check mode; V(pending).
        - V(refused) if the node presents another host key although it has the same disk.
      type: str
      sample: gained
    reason:
      description: Reason why the node is pending, or why a session was needed.
      type: str
      sample: no trust record
    fresh:
      description: Whether the disk of the node was unknown before this run.
      type: bool
      sample: true
    configured:
      description: Whether a run has configured the disk of the node and recorded this with O(state=configured).
      type: bool
      sample: false
    group:
      description: Name of the instance group.
      type: str
      sample: login-group
    node_type:
      description: V(controller), V(login), V(compute) or null.
      type: str
      sample: login
    status:
      description: Status of the node, as AWS returns it.
      type: str
      sample: Running
host_keys:
  description: Lines for C(known_hosts) for every node of the cluster with a valid record, by instance ID.
  returned: success
  type: dict
  sample:
    i-0123456789abcdef0: ["i-0123456789abcdef0.abc123def456 ssh-ed25519 AAAA..."]
behind:
  description: Instance IDs of all nodes of the cluster that are not known to match O(people).
  returned: success with O(state=present)
  type: list
  elements: str
  sample: []
forgotten:
  description: Instance IDs whose trust records were removed, or would be removed in check mode.
  returned: with O(state=absent) and O(instance_ids)
  type: list
  elements: str
  sample: [i-0123456789abcdef0]
unannounced:
  description:
    - Whether O(people) differs from the record, so that O(state=announced) must record it before a node is changed. If a run then
      fails, later runs still know which nodes to configure.
  returned: success with O(state=present)
  type: bool
  sample: false
known_hosts:
  description: Path of C(known_hosts) on the controller.
  returned: success
  type: str
  sample: /home/ops/.mlfleet/hyperpod/known_hosts
changes:
  description: Changes that were made, or would be made in check mode.
  returned: always
  type: list
  elements: dict
  sample:
    - action: create
      resource: access to i-0123456789abcdef0 (login-group)
      field: null
      before: null
      after: no trust record
hyperpod_findings:
  description:
    - Nodes without access, and nodes that were trusted again or would be, with the codes of C(docs/reference/findings.md).
  returned: success
  type: list
  elements: dict
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import answer_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import run

STATES = {"present": run.present, "announced": run.announced, "configured": run.configured, "absent": run.absent}
ARGUMENTS: dict[str, t.Any] = {
    "state": {"type": "str", "default": "present", "choices": list(STATES)},
    "cluster_arn": {"type": "str", "required": True},
    "public_key": {"type": "str", "no_log": False},
    "operations_user": {"type": "str", "default": "hyperpod-ops"},
    "include": {"type": "str", "default": "login", "choices": ["login", "new", "all"]},
    "groups": {"type": "list", "elements": "str"},
    "instance_ids": {"type": "list", "elements": "str"},
    "node_types": {"type": "dict", "default": {}},
    "recheck": {"type": "raw", "default": False},
    "people": {"type": "dict"},
    "seen": {"type": "list", "elements": "str", "default": []},
    "state_dir": {"type": "path", "default": "~/.mlfleet/hyperpod"},
    "timeout": {"type": "int", "default": 180},
    "_proxy_script": {"type": "path"},
    **LOCK_OPTION,
}


def main() -> None:
    required_if = [
        ("state", "present", ["public_key"]),
        ("state", "announced", ["people"]),
        ("state", "configured", ["instance_ids"]),
    ]
    module = aws_module(argument_spec=ARGUMENTS, required_if=required_if)
    answer_aws(module, STATES[module.params["state"]])


if __name__ == "__main__":
    main()
