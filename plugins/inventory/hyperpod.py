# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of SageMaker HyperPod clusters."""

from __future__ import annotations

DOCUMENTATION = r"""
name: hyperpod
version_added: 0.1.0
short_description: SageMaker HyperPod clusters and their nodes
author:
  - mlfleet (@mlfleet)
description:
  - Creates one host for each cluster and one host for each node. The host of a cluster has a local connection, and plays call AWS
    from this host. Plays configure nodes over SSH.
  - The name of a cluster's host is the key of the cluster. The name of a node's host is C(KEY-INSTANCE_ID). The key is
    O(accounts[].clusters[].key), or by default the name of the cluster. Two clusters with the same key are an error, even if they
    are in different inventory sources.
  - Groups are C(hyperpod_clusters), C(hyperpod_nodes), C(orchestrator_slurm), C(orchestrator_eks), C(cluster_KEY),
    C(instance_group_NAME), C(node_type_controller), C(node_type_login) and C(node_type_compute). C(cluster_KEY) contains the
    cluster's host and its nodes; define variables of a cluster in this group. In names of groups, C(_) replaces each character
    that is not a letter, digit or C(_), for example C(cluster_prod_eu) for the key V(prod-eu). A warning lists files
    C(group_vars/cluster_*) next to the inventory source that match no group.
  - The type of a node comes from the API or from O(node_types), never from a name.
  - The plugin calls C(DescribeCluster) once and C(ListClusterNodes) once for every 100 nodes of a cluster. It calls
    C(DescribeClusterNode) for every login node and controller node, or for every node with the connections V(jump) and
    V(direct). If the inventory source names no clusters, the plugin also calls C(ListClusters) for every 100 clusters of a Region.
  - The file name of an inventory source must end in C(hyperpod.yml) or C(hyperpod.yaml).
  - If an account, Region or cluster can't be read, a warning and the variable C(hyperpod_inventory_failures) of the group C(all)
    list it, and the others are still loaded. If nothing can be loaded, the inventory source fails. A missing host therefore does
    not prove that the node no longer exists.
  - The variable C(hyperpod_inventory_read) of the group C(all) lists for each account and Region how many clusters were found,
    and how many clusters each filter left out. If no cluster of an account is used, a warning is shown.
  - The variable C(hyperpod_node_count) of a cluster's host is the number of the cluster's nodes. Playbooks use it to detect an
    inventory that was reduced after it was read, for example by a job slice of AWX.
  - Nodes have C(ansible_ssh_host_key_checking=true), because C(ANSIBLE_HOST_KEY_CHECKING=False) in the environment would
    otherwise override the options of this plugin. M(mlfleet.hyperpod.node_access) provides the host keys of nodes.
options:
  plugin:
    description: Marks a file as an inventory source of this plugin.
    required: true
    choices: [mlfleet.hyperpod.hyperpod]
  profile:
    description:
      - Profile in the AWS configuration. A profile can assume a role. Both the plugin and the sessions with nodes use the profile;
        credentials are never stored in variables.
      - If no profile is set, the default credential chain is used.
    type: str
  regions:
    description: Regions to read. Default is the Region of the profile.
    type: list
    elements: str
    default: []
  filters:
    description: Only clusters that match all filters are used.
    type: dict
    default: {}
    suboptions:
      name:
        description: A glob pattern for the name of the cluster, or a list of patterns. At least one pattern must match.
        type: raw
      tags:
        description: Tags that the cluster must have. Values are glob patterns. Requires one C(ListTags) call for each cluster.
        type: dict
      orchestrator:
        description: Orchestrator of the cluster, V(slurm) or V(eks).
        type: str
  clusters:
    description:
      - Clusters to use, each as a name, an ARN, or a dictionary as in O(accounts[].clusters). Other clusters are not used. Mutually
        exclusive with O(accounts).
    type: list
    elements: raw
  node_types:
    description:
      - Node type of each instance group, V(controller), V(login) or V(compute), by the name of the group. This is needed for
        clusters that were created from C(provisioning_parameters.json), because the API returns no node types for them.
      - A type that the API returns takes precedence. A name that is not an instance group causes a warning.
    type: dict
    default: {}
  connection:
    description: How Ansible connects to nodes. Host keys are verified with each value.
    type: str
    choices:
      ssm: SSH through a Systems Manager session with each node.
      jump: One session with a controller node or a login node, and SSH from this node to the private addresses of all others.
      direct: SSH to the private addresses. The control node must have a route to them.
    default: ssm
  accounts:
    description:
      - AWS accounts to read. An account uses the options of the inventory source unless it sets its own.
    type: list
    elements: dict
    suboptions:
      profile:
        description: Like O(profile).
        type: str
      regions:
        description: Like O(regions).
        type: list
        elements: str
      filters:
        description: Like O(filters).
        type: dict
      node_types:
        description: Like O(node_types). Both options are merged.
        type: dict
      connection:
        description: Like O(connection).
        type: str
      clusters:
        description: Clusters to use, each as a name, an ARN or a dictionary. Other clusters are not used.
        type: list
        elements: dict
        suboptions:
          name:
            description: Name of the cluster. Every Region of the account is searched for the cluster.
            type: str
          arn:
            description: ARN of the cluster, instead of the name. Its Region does not need to be in O(accounts[].regions).
            type: str
          key:
            description: Name of the cluster's host, and first part of the names of its nodes.
            type: str
          connection:
            description: Like O(connection).
            type: str
          node_types:
            description: Like O(node_types). Both options are merged.
            type: dict
  operations_user:
    description: Operations account that Ansible uses to connect to nodes.
    type: str
    default: hyperpod-ops
  private_key_file:
    description: Private key for Ansible's connections. By default, ssh chooses it, for example from its agent.
    type: str
  state_dir:
    description:
      - Folder on the control node that contains C(known_hosts) and C(ssm-proxy). M(mlfleet.hyperpod.node_access) writes these
        files; this plugin writes no files.
    type: str
    default: ~/.mlfleet/hyperpod
  tags:
    description:
      - Whether to read the tags of every cluster into the variable C(hyperpod_tags) of the cluster's host and nodes. Requires one
        C(ListTags) call for each cluster.
      - Tags are also read if an expression in O(compose), O(groups) or O(keyed_groups) contains C(hyperpod_tags).
    type: bool
    default: false
  threads:
    description: Number of clusters, and of nodes of each cluster, that are read at the same time.
    type: int
    default: 8
  strict:
    description:
      - Whether to fail if an account, Region or cluster can't be read, if the filters leave no cluster, or if an expression in
        O(compose), O(groups) or O(keyed_groups) can't be evaluated.
    type: bool
    default: false
notes:
  - 'IAM actions: C(sagemaker:ListClusters), C(sagemaker:DescribeCluster), C(sagemaker:ListClusterNodes),
    C(sagemaker:DescribeClusterNode), and C(sagemaker:ListTags) for tags.'
  - A result with failures is not cached. After a change to the options of the inventory source, the plugin ignores the cache.
requirements:
  - boto3
extends_documentation_fragment:
  - inventory_cache
  - constructed
seealso:
  - module: mlfleet.hyperpod.node_access
"""

EXAMPLES = r"""
# All clusters of one account in one Region
plugin: mlfleet.hyperpod.hyperpod
profile: research
regions: [us-west-2]

---
# Several accounts. Two clusters are called prod, so one of them gets a different key
plugin: mlfleet.hyperpod.hyperpod
regions: [us-west-2]
accounts:
  - profile: research
    filters:
      name: "prod*"
      orchestrator: slurm
  - profile: products
    regions: [us-east-1, us-west-2]
    connection: jump
    clusters:
      - name: prod
        key: products-prod
        node_types:
          controller-machine: controller
          login-nodes: login
          worker-group-1: compute
keyed_groups:
  - key: hyperpod_instance_type
    prefix: type
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.ansible/tmp/hyperpod
"""

import hashlib
import json
import os
import typing as t

from ansible.errors import AnsibleError, AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory import group_vars
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.clients import Clients
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.discovery import Discoverer
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.hosts import check_keys, check_neighbours, hosts_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.sources import accounts_of, check_options
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.ssh_options import Access

SUFFIXES = ("hyperpod.yml", "hyperpod.yaml")
SOURCE_OPTIONS = ("profile", "regions", "filters", "clusters", "node_types", "connection", "accounts")
HOST_OPTIONS = ("operations_user", "private_key_file", "state_dir")


class NothingRead(AnsibleParserError):
    """No part of the inventory source can be used. The failures are already recorded."""


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    NAME = "mlfleet.hyperpod.hyperpod"

    def verify_file(self, path: str) -> bool:
        return super().verify_file(path) and path.endswith(SUFFIXES)

    def parse(self, inventory: t.Any, loader: t.Any, path: str, cache: bool = True) -> None:
        super().parse(inventory, loader, path, cache)
        try:
            self._read_source(path, cache)
        except Exception as error:  # every error must be recorded as an inventory failure
            message = " ".join(str(error).split())
            message = message if path in message else f"{path}: {message}"
            if self._is_ours(path) and not isinstance(error, NothingRead):
                self._add_to_all(hyperpod_inventory_failures=[message])
            raise AnsibleParserError(message) from error

    def _read_source(self, path: str, cache: bool) -> None:
        config = self._read_config_data(path)
        check_options(config, self.get_options())
        result = self._cached(path, cache)
        read = [f"{path}: {sentence}" for sentence in result["read"]]
        self._add_to_all(hyperpod_inventory_failures=result["failures"], hyperpod_inventory_read=read)
        if problem := self._problem(result):
            raise NothingRead(problem)
        check_neighbours(result["hosts"], self._clusters_of_others())
        for failure in result["failures"]:
            self.display.warning(f"mlfleet.hyperpod.hyperpod could not read {failure}")
        for sentence in result["empty"]:
            self.display.warning(f"mlfleet.hyperpod.hyperpod: no cluster matches: {sentence}")
        for sentence in result["odd"]:
            self.display.warning(f"mlfleet.hyperpod.hyperpod: {sentence}")
        self._populate(result)
        names = group_vars.beside(path)
        complete = not result["failures"] and self._is_alone(path)
        for sentence in group_vars.without_group(names, self.inventory.groups, complete=complete):
            self.display.warning(f"mlfleet.hyperpod.hyperpod: {sentence}")

    def _is_ours(self, path: str) -> bool:
        """Whether only this plugin can read the file. A static inventory may have a file name with the same ending."""
        try:
            config = self.loader.load_from_file(path, cache="none")
        except AnsibleError:
            return True
        return not isinstance(config, dict) or config.get("plugin") == self.NAME

    def _clusters_of_others(self) -> list[dict[str, t.Any]]:
        """The variables of the cluster hosts of inventory sources that were read earlier."""
        group = self.inventory.groups.get("hyperpod_clusters")
        return [host.vars for host in group.get_hosts()] if group else []

    def _is_alone(self, path: str) -> bool:
        """Whether the folder has no other inventory source, which could contain the clusters that are missing here."""
        return len([name for name in os.listdir(os.path.dirname(path) or ".") if name.endswith(SUFFIXES)]) == 1

    def _problem(self, result: t.Mapping[str, t.Any]) -> str:
        """Why the whole inventory source is refused; empty if at least the parts that could be read are used."""
        if result["failures"] and (self.get_option("strict") or not result["hosts"]):
            return "could not read " + "; ".join(result["failures"])
        if self.get_option("strict") and not result["hosts"]:
            return "no cluster matches: " + "; ".join(result["empty"])
        return ""

    def _add_to_all(self, **lists: t.Sequence[str]) -> None:
        """Add messages to variables of the group ``all``, which all inventory sources share. Each message is added only once."""
        known = self.inventory.groups["all"].get_vars()
        for name, sentences in lists.items():
            self.inventory.set_variable("all", name, list(dict.fromkeys([*known.get(name, ()), *sentences])))

    def _cached(self, path: str, cache: bool) -> dict[str, t.Any]:
        """The result, from the cache if possible. An incomplete result is not cached, because it would lack accounts for long."""
        use_cache = self.get_option("cache")
        key = self._cache_key(path)
        if use_cache and cache and key in self._cache:
            kept: dict[str, t.Any] = self._cache[key]
            return kept
        result = self._discover()
        if use_cache and not result["failures"]:
            self._cache[key] = result
        return result

    def _cache_key(self, path: str) -> str:
        """A key with the options, so that after a change to the inventory source, the cache returns no clusters that a filter
        excludes."""
        options = {name: self.get_option(name) for name in (*SOURCE_OPTIONS, *HOST_OPTIONS)}
        digest = hashlib.sha256(json.dumps([options, self._wants_tags()], sort_keys=True, default=str).encode()).hexdigest()
        return f"{self.get_cache_key(path)}_{digest[:16]}"

    def _discover(self) -> dict[str, t.Any]:
        accounts = accounts_of({name: self.get_option(name) for name in SOURCE_OPTIONS})
        threads = self.get_option("threads")
        if threads < 1:
            refuse_option("threads", threads, "1 or more")
        private_key_file = self.get_option("private_key_file")
        access = Access.checked(
            user=str(self.get_option("operations_user")),
            state_dir=str(self.get_option("state_dir")),
            private_key_file=str(private_key_file) if private_key_file else None,
        )
        clients = Clients(threads=threads)
        discoverer = Discoverer(clients.connect, clients.caller, threads=threads, read_tags=self._wants_tags())
        discovery = discoverer.discover(accounts)
        check_keys(discovery.found)
        hosts: dict[str, t.Any] = {}
        for found in discovery.found:
            hosts.update(hosts_of(found, access))
        listed = {name: list(getattr(discovery, name)) for name in ("failures", "read", "empty", "odd")}
        return {"hosts": hosts, **listed}

    def _wants_tags(self) -> bool:
        """Whether to read tags. If they were not read, an expression that uses tags would silently create no group."""
        expressions = [self.get_option(name) for name in ("compose", "groups", "keyed_groups")]
        return bool(self.get_option("tags")) or "hyperpod_tags" in str(expressions)

    def _populate(self, result: t.Mapping[str, t.Any]) -> None:
        strict = self.get_option("strict")
        for group in ("hyperpod_clusters", "hyperpod_nodes"):
            self.inventory.add_group(group)
        for name, host in result["hosts"].items():
            self.inventory.add_host(name)
            for group in host["groups"]:
                self.inventory.add_host(name, group=self.inventory.add_group(group))
            for variable, value in host["vars"].items():
                self.inventory.set_variable(name, variable, value)
            self._set_composite_vars(self.get_option("compose"), host["vars"], name, strict=strict)
            self._add_host_to_composed_groups(self.get_option("groups"), host["vars"], name, strict=strict)
            self._add_host_to_keyed_groups(self.get_option("keyed_groups"), host["vars"], name, strict=strict)
