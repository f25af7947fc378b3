# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Packs one of our programs into a single file, an archive that Python can run. Standard library only, Python 3.9 syntax.

The archive contains the sources of the program's module and of all our modules that it imports.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import io
import typing as t
import zipfile

PACKAGE = "mlfleet_hyperpod"
_OURS = __name__.partition("._core.")[0]


def archive(program: str, *, python: str = "") -> bytes:
    """The archive. Identical sources give identical bytes, because the archive has no timestamps and no compression.

    :param program: The name of the module whose ``main`` is called.
    :param python: The interpreter for the first line, which is needed if the archive is started by its file name.
    """
    start = f"from {PACKAGE}.{program[len(_OURS) + 1 :]} import main\n\nmain()\n"
    texts = {"__main__.py": start, **_packed(sources(program))}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as packed:
        for path, text in sorted(texts.items()):
            packed.writestr(zipfile.ZipInfo(path), text)
    return (f"#!{python} -I\n" if python else "").encode() + buffer.getvalue()


def sources(name: str) -> dict[str, str]:
    """Source texts, keyed by module name, for the module ``name`` and all our modules that it imports, directly or indirectly."""
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = inspect.getsource(importlib.import_module(name))
            waiting += imported(found[name], name.rpartition(".")[0])
    return found


def imported(text: str, package: str) -> t.Iterator[str]:
    """Names of the modules in relative imports of ``text``, which is the source of a module of ``package``."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            for each in node.names:
                name = f"{base}.{each.name}"
                yield name if _is_module(name) else base


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the parent is a module, not a package
        return False


def _packed(texts: t.Mapping[str, str]) -> dict[str, str]:
    """Source texts, keyed by path in the archive, with the ``__init__.py`` files that turn folders into packages."""
    paths = {PACKAGE + name[len(_OURS) :].replace(".", "/"): text for name, text in texts.items()}
    folders = {path[:place] for path in paths for place, sign in enumerate(path) if sign == "/"}
    return {**{f"{path}.py": text for path, text in paths.items()}, **{f"{folder}/__init__.py": "" for folder in folders}}
