# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hosts with definitions: each declares a HyperPod cluster, an EKS cluster for training, or both."""

from __future__ import annotations

from .. import Variables, view
from ..hyperpod_cluster.declared import DEFINITION, FILE as DEFINITION_FILE, REMOVE
from ..training_cluster.declared import FILE, NAME, this


@view
def declares_training_cluster(variables: Variables) -> bool:
    return any(variables.get(each) for each in (NAME, FILE))


@view
def declares_no_hyperpod_cluster(variables: Variables) -> bool:
    """Whether the host declares only an EKS cluster for training, which another playbook creates."""
    return bool(variables.get(NAME)) and not any(variables.get(each) for each in (DEFINITION, DEFINITION_FILE, REMOVE))


@view
def training_cluster_arn(variables: Variables) -> str:
    """The ARN of the EKS cluster, whose lock the modules acquire. Undefined until the role has read the account."""
    return this(variables).arn
