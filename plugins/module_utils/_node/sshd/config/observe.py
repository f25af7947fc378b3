# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the drop-in on the node, and sshd's settings without it. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os
import stat

from ...files import read_bytes
from .. import files as sshd_files, host_certificates
from .model import REFUSAL, State


def observe() -> State:
    main = sshd_files.read_main()
    sshd_files.check_include(main)
    content = read_bytes(sshd_files.DROP_IN)
    attributes = ""
    if content is not None:
        info = os.stat(sshd_files.DROP_IN)
        attributes = f"{stat.S_IMODE(info.st_mode):04o} {info.st_uid}:{info.st_gid}"
    return State(
        text=_text(content),
        attributes=attributes,
        main=main,
        without_ours=sshd_files.effective(main, ours=None, connection=sshd_files.Connection("nobody")),
        refusal=_text(read_bytes(REFUSAL)),
        certificates=host_certificates.observe(),
    )


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "replace")
