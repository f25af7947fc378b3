# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How modules connect to a Kubernetes API server."""

from __future__ import annotations


class ModuleDocFragment:
    """``DOCUMENTATION`` with ``KUBECONFIG``: for modules that declare ``CONNECTION`` of ``_kubernetes/connection.py``.

    ``KUBECONFIG`` alone: for those that know the EKS cluster, and declare the constant of this name.
    """

    DOCUMENTATION = r"""
options:
  eks_cluster:
    description:
      - Name or ARN of an EKS cluster in the Region of O(region). The module authenticates with the caller's AWS credentials,
        which need an access entry of the cluster.
      - Without it, and without O(kubeconfig) and O(context), the default kubeconfig is used.
    type: str
"""

    KUBECONFIG = r"""
options:
  kubeconfig:
    description:
      - Path of a kubeconfig file, for example one for a tunnel to a private endpoint.
      - C(module_defaults) with C(group/mlfleet.hyperpod.kubernetes) sets it and O(context) for all modules that accept them.
    type: path
  context:
    description:
      - Context of the kubeconfig. Default is its current context.
    type: str
requirements:
  - kubernetes >= 24.2.0, != 36.0.0, != 36.0.1 (Python)
"""
