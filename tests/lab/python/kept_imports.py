# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache of the imports of modules and their utilities, for the lifetime of the machine.

Before ansible-playbook first sends a module it parses it and all its imports, which is a fifth of a short run's processor
time; the next run parses the same files. Results are cached by a hash of the parsed text.
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
    """Enable the cache in this process and its forks, when ansible-core loads its module builder."""
    sys.meta_path.insert(0, _Loaded(folder))


class _Loaded(importlib.abc.MetaPathFinder):
    """An import hook that replaces ansible-core's finder of imports, and then removes itself."""

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
            construct = module.ModuleDepFinder.__init__
            if "module_data" in inspect.signature(construct).parameters:  # ansible-core 2.19 parses before the constructor
                module.ModuleDepFinder.__init__ = _keeping(construct, self.folder)

        spec.loader.exec_module = loaded  # type: ignore[method-assign]
        return spec


def _keeping(construct: t.Callable[..., None], folder: str) -> t.Callable[..., None]:
    """A caching constructor of ansible-core's ``ModuleDepFinder``, which searches on construction."""

    def found(self: t.Any, module_fqn: str, module_data: str | bytes, is_pkg_init: bool = False) -> None:
        text = module_data.encode() if isinstance(module_data, str) else bytes(module_data)
        key = hashlib.sha256(b"\0".join([module_fqn.encode(), str(is_pkg_init).encode(), text])).hexdigest()
        name = f"{folder}/{key}.imports"
        try:
            with open(name, encoding="utf-8") as file:
                kept = [{tuple(each) for each in part} for part in json.load(file)]
            self.submodules, self.optional_imports = kept
        except (OSError, ValueError):
            construct(self, module_fqn, module_data, is_pkg_init)
            if not self.embeds:
                kept_code.write(name, json.dumps([sorted(self.submodules), sorted(self.optional_imports)]).encode())
            return
        self.embeds = set()
        self.tree = ast.Module(body=[], type_ignores=[])  # read only for an experimental setting, which the lab does not use

    return found
