# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a role connects to the API server of an EKS cluster: with the declared kubeconfig, or else with the EKS endpoint. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass


@dataclass(frozen=True)
class ApiServer:
    """The options of modules that connect to the API server."""

    eks_cluster: str | None
    kubeconfig: str | None
    context: str | None


def api_server(variables: t.Mapping[str, t.Any], *, kubeconfig: t.Any, context: t.Any) -> ApiServer:
    """The options for the current host, a cluster whose description was read.

    :param kubeconfig: the declared kubeconfig; empty if none is declared.
    :param context: the declared context; empty if none is declared.
    """
    if kubeconfig or context:
        return ApiServer(None, str(kubeconfig) or None, str(context) or None)
    return ApiServer(str(variables["hyperpod_run"]["cluster"]["eks_cluster_arn"]), None, None)
