# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role awx."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx import project as of_project
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_info import COLLECTION, collection_version
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

from . import Variables, view


@dataclass(frozen=True)
class Project:
    """The files of a project for AWX, and their folders."""

    refusals: Findings
    files: list[dict[str, str]]
    """Absolute paths and contents."""
    folders: list[str]


@view
def project(variables: Variables) -> Project:
    folder = str(variables["awx_project_dir"])
    if not os.path.isabs(folder):
        return Project(refused([not_allowed("awx_project_dir", folder, "the absolute path of a folder")]), [], [])
    found = [dataclasses.asdict(each) for each in of_project.files(verbs().values(), collection_version(COLLECTION) or "*")]
    files = [{**each, "path": os.path.join(folder, each["path"])} for each in found]
    return Project([], files, sorted({os.path.dirname(each["path"]) for each in files}))
