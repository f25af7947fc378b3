# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a reachable node refuses the operations account. A session of Systems Manager can find and repair the cause."""

from __future__ import annotations

import re
import typing as t

_REFUSED = re.compile(
    "Host key verification failed"
    "|Permission denied"
    "|Access denied"  # pam_slurm_adopt
    "|account has expired|Password change required"  # pam_unix, whose messages also pass through a ProxyCommand
    "|Connection closed by (?!UNKNOWN)"  # after the end of the ProxyCommand, ssh does not report who closed it
)
"""Messages of ssh about a refused login."""


def refused(message: t.Any) -> bool:
    """Whether the node refused the login. ``message``: ssh's output about the failed connection."""
    return _REFUSED.search(str(message)) is not None
