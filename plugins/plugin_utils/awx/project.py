# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a project for AWX. No I/O.

AWX runs the playbooks of projects only, not those of collections, so the project has a playbook for each verb.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import Verb

CONFIGURATION = """\
[defaults]
callbacks_enabled = mlfleet.hyperpod.report
inject_facts_as_vars = False
callback_result_format = yaml
display_included_hosts = False
display_ok_hosts = False
display_skipped_hosts = False
forks = 10
gathering = explicit

[ssh_connection]
pipelining = True
retries = 3

[hyperpod]
# AWX deletes the files of a run with its container. This bucket keeps the reports of all runs.
# report_store = s3://mlfleet-reports-111111111111/fleet
"""
INVENTORY = """\
---
plugin: mlfleet.hyperpod.hyperpod
regions: [us-west-2]
# profile: research
"""
GROUP_VARS = """\
---
# The public part of the key of AWX's machine credential.
# hyperpod_operations_public_key: ssh-ed25519 AAAA... ops
hyperpod_groups: []
hyperpod_users: []
"""
REQUIREMENTS = """\
---
collections:
  - name: mlfleet.hyperpod
    version: "{version}"
"""
PLAYBOOK = """\
---
- name: {name}
  ansible.builtin.import_playbook: mlfleet.hyperpod.{verb}
"""


@dataclass(frozen=True)
class File:
    path: str
    """Relative to the folder of the project."""
    content: str


def files(verbs: t.Iterable[Verb], version: str) -> list[File]:
    """The files of a new project.

    :param version: the version of the collection, which jobs install.
    """
    playbooks = [File(f"{each.name}.yml", PLAYBOOK.format(name=each.title, verb=each.name)) for each in verbs]
    return [
        File("ansible.cfg", CONFIGURATION),
        File("collections/requirements.yml", REQUIREMENTS.format(version=version)),
        File("hyperpod.yml", INVENTORY),
        File("group_vars/all.yml", GROUP_VARS),
        *playbooks,
    ]
