# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes that the modules of the collection share."""

from __future__ import annotations


class ModuleDocFragment:
    """A module extends ``mlfleet.hyperpod.attributes`` and states the support of each attribute itself.

    Modules that call AWS also extend ``mlfleet.hyperpod.attributes.aws``. If they have the option ``cluster_arn``, they extend
    ``mlfleet.hyperpod.attributes.cluster`` instead; with the option ``lock``, ``mlfleet.hyperpod.attributes.lock``. Info modules
    also extend ``mlfleet.hyperpod.attributes.info``.
    """

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and return what would change, without changing anything.
  diff_mode:
    description: Returns the changes, or the predicted changes in C(check_mode), when run in diff mode.
  idempotent:
    description:
      - When run twice in a row outside check mode with the same arguments, the second run changes nothing.
      - This assumes that nothing else changes the managed resource between the two runs.
"""

    AWS = r"""
options: {}
attributes:
  action_group:
    description:
      - Use C(group/mlfleet.hyperpod.aws) in C(module_defaults) to set region, profile and endpoint once for this
        collection and C(amazon.aws).
    support: full
    membership:
      - mlfleet.hyperpod.aws
"""

    CLUSTER = r"""
options: {}
attributes:
  action_group:
    description:
      - Use C(group/mlfleet.hyperpod.aws) in C(module_defaults) to set region, profile and endpoint once for this
        collection and C(amazon.aws).
      - Use C(group/mlfleet.hyperpod.cluster) to set O(cluster_arn) once for all modules that accept it.
    support: full
    membership:
      - mlfleet.hyperpod.aws
      - mlfleet.hyperpod.cluster
"""

    LOCK = r"""
options: {}
attributes:
  action_group:
    description:
      - Use C(group/mlfleet.hyperpod.aws) in C(module_defaults) to set region, profile and endpoint once for this
        collection and C(amazon.aws).
      - Use C(group/mlfleet.hyperpod.cluster) to set O(cluster_arn) once for all modules that accept it.
      - Use C(group/mlfleet.hyperpod.lock) to set O(lock=true) once for all modules that accept it.
    support: full
    membership:
      - mlfleet.hyperpod.aws
      - mlfleet.hyperpod.cluster
      - mlfleet.hyperpod.lock
"""

    INFO = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and return what would change, without changing anything.
    support: full
    details:
      - This module reads only.
  diff_mode:
    description: Returns the changes, or the predicted changes in C(check_mode), when run in diff mode.
    support: N/A
    details:
      - This module reads only.
  idempotent:
    description:
      - When run twice in a row outside check mode with the same arguments, the second run changes nothing.
      - This assumes that nothing else changes the managed resource between the two runs.
    support: full
    details:
      - This module reads only.
"""
