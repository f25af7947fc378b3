# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that select a Kubernetes API server."""

from __future__ import annotations


class ModuleDocFragment:
    """Modules with ``CONNECTION`` of ``_kubernetes/connection.py`` extend ``DOCUMENTATION`` and ``KUBECONFIG``.

    Modules that know the EKS cluster have ``KUBECONFIG`` of that file, and extend only ``KUBECONFIG``.
    """

    DOCUMENTATION = r"""
options:
  eks_cluster:
    description:
      - Name or ARN of an EKS cluster in the Region of O(region). The module authenticates with the caller's AWS credentials,
        which require an access entry of the cluster.
      - If none of O(eks_cluster), O(kubeconfig) and O(context) is set, the default kubeconfig is used.
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
