# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a node that can be reached refuses the operations account: a session of Systems Manager may know why, and mend it."""

from __future__ import annotations

import re
import typing as t

_REFUSED = re.compile(
    "Host key verification failed"
    "|Permission denied"
    "|Access denied"  # pam_slurm_adopt
    "|account has expired|Password change required"  # pam_unix, whose words come through a ProxyCommand, too
    "|Connection closed by (?!UNKNOWN)"  # where the ProxyCommand ends, ssh does not know by whom
)
"""ssh's own words."""


def refused(message: t.Any) -> bool:
    """By what ssh printed about a connection that failed."""
    return _REFUSED.search(str(message)) is not None
