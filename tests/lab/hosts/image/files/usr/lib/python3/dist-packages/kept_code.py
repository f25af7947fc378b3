# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled code of modules in archives and in collections, kept until the machine is gone. Python does that for other
files only.

Ansible sends each module as an archive, and its controller loads a collection's plugins in every worker; both would be
compiled anew every time, which is a third of what a module costs. A lab runs the same ones hundreds of times.
"""

from __future__ import annotations

import _imp
import builtins
import marshal
import os
import sys
import zipimport

FOLDER = "/run/kept-code"


def keep(folder: str = FOLDER) -> None:
    """From now on, in this process. Who may not write into ``folder`` compiles as ever."""
    from_archive, anything = zipimport._compile_source, builtins.compile

    def kept(path: str, source: bytes, compiled: object) -> object:
        name = f"{folder}/{_imp.source_hash(0, source).hex()}.{sys.implementation.cache_tag}"
        try:
            with open(name, "rb") as file:
                code = marshal.load(file)
        except (OSError, EOFError, ValueError, TypeError):
            code = compiled()
            write(name, marshal.dumps(code))
        _imp._fix_co_filename(code, path)
        return code

    def of_archive(path: str, source: bytes) -> object:
        return kept(path, source, lambda: from_archive(path, source))

    def of_collection(source: object, filename: object, mode: str, *rest: object, **more: object) -> object:
        """Only a loader of modules says ``dont_inherit`` and no flags."""
        if rest or mode != "exec" or more != {"flags": 0, "dont_inherit": True} or not isinstance(source, (str, bytes)):
            return anything(source, filename, mode, *rest, **more)
        text = source.encode() if isinstance(source, str) else source
        return kept(filename, text, lambda: anything(source, filename, mode, **more))

    zipimport._compile_source = of_archive
    builtins.compile = of_collection


def write(name: str, data: bytes) -> None:
    """All at once or not at all; a folder that takes no files is no error."""
    own = f"{name}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(own, "xb") as file:
            file.write(data)
        os.replace(own, name)
    except OSError:
        pass
