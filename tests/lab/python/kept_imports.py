# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module and its utilities import, kept until the machine is gone.

Before ansible-playbook sends a module for the first time it parses it and all that it imports, which is a fifth of a short
run's processor time; the next run parses the same files. What was found is kept under a hash of the text it was found in.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.abc
import importlib.util
import inspect
import json
import sys
import typing as t
from types import ModuleType

import kept_code

BUILDER = "ansible.executor.module_common"


def keep(folder: str = kept_code.FOLDER) -> None:
    """From now on, in this process and its forks: once ansible-core has loaded what builds modules."""
    sys.meta_path.insert(0, _Loaded(folder))


class _Loaded(importlib.abc.MetaPathFinder):
    """Puts ours in the place of what ansible-core looks with, and is gone then."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def find_spec(self, name: str, path: t.Any, target: t.Any = None) -> t.Any:
        if name != BUILDER:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        assert spec and spec.loader
        load = spec.loader.exec_module

        def loaded(module: ModuleType) -> None:
            load(module)
            look = module.ModuleDepFinder.__init__
            if "module_data" in inspect.signature(look).parameters:  # ansible-core 2.19 parses before it asks
                module.ModuleDepFinder.__init__ = _keeping(look, self.folder)

        spec.loader.exec_module = loaded  # type: ignore[method-assign]
        return spec


def _keeping(look: t.Callable[..., None], folder: str) -> t.Callable[..., None]:
    """The constructor of ansible-core's ``ModuleDepFinder``, which looks while it is constructed."""

    def found(self: t.Any, module_fqn: str, module_data: str | bytes, is_pkg_init: bool = False) -> None:
        text = module_data.encode() if isinstance(module_data, str) else bytes(module_data)
        key = hashlib.sha256(b"\0".join([module_fqn.encode(), str(is_pkg_init).encode(), text])).hexdigest()
        name = f"{folder}/{key}.imports"
        try:
            with open(name, encoding="utf-8") as file:
                kept = [{tuple(each) for each in part} for part in json.load(file)]
            self.submodules, self.optional_imports = kept
        except (OSError, ValueError):
            look(self, module_fqn, module_data, is_pkg_init)
            if not self.embeds:
                kept_code.write(name, json.dumps([sorted(self.submodules), sorted(self.optional_imports)]).encode())
            return
        self.embeds = set()
        self.tree = ast.Module(body=[], type_ignores=[])  # read for an experimental setting alone, which the lab does not use

    return found
