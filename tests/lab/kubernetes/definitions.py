# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom resource definitions: included in the lab, or published by a project."""

from __future__ import annotations

import os
import time
import typing as t
from pathlib import Path

import yaml
from lab.names import LabError

from .api import Api, ApiError, Object

FOLDER = "MLFLEET_KUBERNETES_DEFINITIONS"
"""The variable with a folder of definitions, one in each file, to use instead of included ones of the same name."""
PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def define(api: Api, file: Path, *, version: str = "") -> None:
    """Create missing definitions; return when all are served.

    :param version: the only served version of definitions that have it; by default all versions.
    """
    definitions = [served_as(version, each) for each in chosen(file)]
    for definition in definitions:
        try:
            api.create(PATH, definition)
        except ApiError as error:
            if error.status != 409:
                raise
    for definition in definitions:
        while not _served(api, definition):
            time.sleep(0.1)


def chosen(file: Path) -> list[Object]:
    """Definitions of an included file, replaced by those of the folder that have the same name.

    :raises LabError: if the folder has no definition.
    """
    included: list[Object] = yaml.safe_load(file.read_text("utf-8"))["items"]
    folder = os.environ.get(FOLDER)
    if not folder:
        return included
    published = {each["metadata"]["name"]: each for each in _published(Path(folder))}
    if not published:
        raise LabError(f"{FOLDER}: {folder} has no *.yaml with a definition")
    return [published.get(each["metadata"]["name"], each) for each in included]


def served_as(version: str, definition: Object) -> Object:
    """The definition with only this version, if it has it."""
    spec = definition["spec"]
    only = [{**each, "storage": True} for each in spec["versions"] if each["name"] == version]
    return {**definition, "spec": {**spec, "versions": only}} if only else definition


def _published(folder: Path) -> t.Iterator[Object]:
    for file in sorted(folder.glob("*.yaml")):
        yield from filter(None, yaml.safe_load_all(file.read_text("utf-8")))


def _served(api: Api, definition: Object) -> bool:
    spec = definition["spec"]
    path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
    try:
        api.get(path)
    except ApiError as error:
        if error.status != 404:
            raise
        return False
    return True
