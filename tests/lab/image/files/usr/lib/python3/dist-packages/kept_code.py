# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled code of modules in archives, kept until the machine is gone. Python does that for files only.

Ansible sends each module as an archive and Python would compile it anew every time, which is a third of what a module
costs. A lab runs the same modules hundreds of times, so they are compiled once.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
import zipimport

FOLDER = "/run/kept-code"


def keep(folder: str = FOLDER) -> None:
    """From now on, in this process. Who may not write into ``folder`` compiles as ever."""
    compiled = zipimport._compile_source

    def kept(path: str, source: bytes) -> object:
        name = f"{folder}/{_imp.source_hash(0, source).hex()}.{sys.implementation.cache_tag}"
        try:
            with open(name, "rb") as file:
                code = marshal.load(file)
        except (OSError, EOFError, ValueError, TypeError):
            code = compiled(path, source)
            _write(name, code)
        _imp._fix_co_filename(code, path)
        return code

    zipimport._compile_source = kept


def _write(name: str, code: object) -> None:
    own = f"{name}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(own, "xb") as file:
            marshal.dump(code, file)
        os.replace(own, name)
    except OSError:
        pass
