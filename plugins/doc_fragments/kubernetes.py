# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that select a Kubernetes API server."""

from __future__ import annotations


class ModuleDocFragment:
    """Modules whose argument spec contains ``CONNECTION`` of ``_kubernetes/connection.py`` extend both parts.

    Modules that get the EKS cluster from the HyperPod cluster have ``KUBECONFIG`` of that file instead, and extend only that part.
    """

    DOCUMENTATION = r"""
options:
  eks_cluster:
    description:
      - Name or ARN of an EKS cluster in the Region of O(region). The module authenticates with the caller's AWS credentials,
        which require an access entry of the cluster.
      - Mutually exclusive with O(kubeconfig) and O(context). If none of the three options is set, the default kubeconfig is used.
    type: str
"""

    KUBECONFIG = r"""
options:
  kubeconfig:
    description:
      - Path of a kubeconfig file, for example one for a tunnel to a private endpoint.
      - Use C(group/mlfleet.hyperpod.kubernetes) in C(module_defaults) to set O(kubeconfig) and O(context) once for all modules
        that accept them.
    type: path
  context:
    description:
      - Context of the kubeconfig. Default is the current context of the kubeconfig.
    type: str
requirements:
  - kubernetes >= 24.2.0, != 36.0.0, != 36.0.1 (Python)
"""
