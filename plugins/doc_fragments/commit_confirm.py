# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the modules that change sshd and keep the change only after a new login."""

from __future__ import annotations


class ModuleDocFragment:
    """Shared by ``ssh_host_keys`` and ``sshd_config``; the argument spec is in ``_node/sshd/phases.py``."""

    DOCUMENTATION = r"""
options:
  confirm:
    description:
      - Whether Ansible must log in again to confirm the change. A change that is not confirmed is reverted.
      - With V(false), the change is reverted only if sshd refuses it. Use V(false) for images that are built without a running
        network.
    type: bool
    default: true
  confirm_timeout:
    description: Seconds within which Ansible must log in again to confirm the change, V(15) to V(900).
    type: int
    default: 60
  phase:
    description:
      - Set by the action plugin, never in a playbook. V(apply) makes the change and schedules a rollback. V(confirm) cancels the
        rollback. V(status) returns the state of the change.
    type: str
    choices: [apply, confirm, status]
    default: apply
  token:
    description: Set by the action plugin, never in a playbook. Identifies the change for O(phase).
    type: str
"""
