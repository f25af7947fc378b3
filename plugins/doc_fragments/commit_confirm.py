# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options and result of the modules that change sshd and keep the change only after a new login."""

from __future__ import annotations


class ModuleDocFragment:
    """Shared by ``ssh_host_keys`` and ``sshd_config``; the argument spec is in ``_node/sshd/phases.py``."""

    DOCUMENTATION = r"""
options:
  confirm:
    description:
      - Whether a new login must confirm the change.
      - With V(false) the change is only undone if sshd itself refuses it. Meant for images that are built without a
        running network.
    type: bool
    default: true
  confirm_timeout:
    description: Seconds, from 15 to 900, within which a new login must confirm the change.
    type: int
    default: 60
  phase:
    description:
      - Set by the action plugin, never in a playbook. V(apply) makes the change and arms the rollback, V(confirm) keeps
        the change, V(status) tells what became of it.
    type: str
    choices: [apply, confirm, status]
    default: apply
  token:
    description: Set by the action plugin, never in a playbook. Names the change that O(phase) speaks of.
    type: str
"""
