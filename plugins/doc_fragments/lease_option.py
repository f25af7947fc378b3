# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option with the Lease of a run."""

from __future__ import annotations


class ModuleDocFragment:
    """Modules whose argument spec contains ``OPTION`` of ``_kubernetes/lease.py`` extend this part."""

    DOCUMENTATION = r"""
options:
  lease:
    description:
      - Lease of the run, which M(mlfleet.hyperpod.training_lease) acquired. The module renews the Lease, and fails if another run
        holds it.
    type: dict
    suboptions:
      namespace:
        description:
          - Namespace of the Lease.
        type: str
        required: true
      holder:
        description:
          - Name of the run, as M(mlfleet.hyperpod.training_lease) returned it.
        type: str
        required: true
"""
