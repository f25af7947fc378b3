# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom resource definitions: the lab's own, or those that a project publishes."""

from __future__ import annotations

import os
import time
import typing as t
from pathlib import Path

import yaml
from lab.names import LabError

from .api import Api, ApiError, Object

FOLDER = "MLFLEET_KUBERNETES_DEFINITIONS"
"""The variable that names a folder with definitions, a file each, to use instead of ours of the same name."""
PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def define(api: Api, own: Path, *, version: str = "") -> None:
    """What is defined already stays as it is; returns once all are served.

    :param version: the only one that is served of what has it; all of them by default.
    """
    definitions = [served_as(version, each) for each in chosen(own)]
    for definition in definitions:
        try:
            api.create(PATH, definition)
        except ApiError as error:
            if error.status != 409:
                raise
    for definition in definitions:
        while not _served(api, definition):
            time.sleep(0.1)


def chosen(own: Path) -> list[Object]:
    """Definitions of a file of ours, each as the folder has it where it has it.

    :raises LabError: where the folder has no definition at all.
    """
    ours: list[Object] = yaml.safe_load(own.read_text("utf-8"))["items"]
    folder = os.environ.get(FOLDER)
    if not folder:
        return ours
    published = {each["metadata"]["name"]: each for each in _published(Path(folder))}
    if not published:
        raise LabError(f"{FOLDER}: {folder} has no *.yaml with a definition")
    return [published.get(each["metadata"]["name"], each) for each in ours]


def served_as(version: str, definition: Object) -> Object:
    """The definition with this version alone, where it has it."""
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
