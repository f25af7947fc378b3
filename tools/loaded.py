"""Loads a module of the collection outside of a collection tree. The module must not import others of the collection."""

from __future__ import annotations

import importlib.util
import sys
import types
from pathlib import Path


def loaded(path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # for dataclasses
    spec.loader.exec_module(module)
    return module
