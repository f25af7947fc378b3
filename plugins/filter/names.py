# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of a cluster's AWS resources, for roles and for users' playbooks."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer import names

Naming = t.Callable[[str, str], str]


def _of_cluster(naming: Naming) -> t.Callable[[t.Any, t.Any], str]:
    def name(key: t.Any, arn: t.Any) -> str:
        if not isinstance(key, str) or not isinstance(arn, str):
            raise AnsibleFilterError(f"{naming.__name__} requires the key and the ARN of the cluster, both as strings")
        return naming(key, arn)

    return name


class FilterModule:
    def filters(self) -> dict[str, t.Callable[[t.Any, t.Any], str]]:
        return {
            "balancer_name": _of_cluster(names.balancer_name),
            "security_group_name": _of_cluster(names.security_group_name),
        }
