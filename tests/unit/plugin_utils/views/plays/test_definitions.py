# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cluster a host with a definition declares."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays import definitions

from ..training_cluster.given import ARN, variables


def test_hosts_of_the_group_that_declare_no_training_cluster() -> None:
    assert not definitions.declares_training_cluster({}) and not definitions.declares_training_cluster({"training_cluster_name": ""})
    assert definitions.declares_training_cluster({"training_cluster_name": "ml"})
    assert definitions.declares_training_cluster({"training_cluster_eksctl_file": "a.yml"})


def test_hosts_of_clusters_without_hyperpod() -> None:
    only = {"training_cluster_name": "ml", "hyperpod_cluster_definition": {}}
    assert definitions.declares_no_hyperpod_cluster(only)
    assert not definitions.declares_no_hyperpod_cluster({**only, "hyperpod_cluster_definition_file": "ml.json"})
    assert not definitions.declares_no_hyperpod_cluster({**only, "hyperpod_cluster_remove": "arn:ml"})
    assert not definitions.declares_no_hyperpod_cluster({})


def test_the_lock_is_that_of_the_declared_cluster() -> None:
    assert definitions.training_cluster_arn(variables()) == ARN
