# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a project for AWX. No I/O.

AWX runs the playbooks of projects only, not those of collections, so the project has a playbook for each verb.
"""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import Template, Verb

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
- name: {title}
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
    templates = [(each, *one) for each in verbs for one in each.templates.items()]
    playbooks = {playbook(verb, title): _playbook(verb, title, template) for verb, title, template in templates}
    return [
        File("ansible.cfg", CONFIGURATION),
        File("collections/requirements.yml", REQUIREMENTS.format(version=version)),
        File("hyperpod.yml", INVENTORY),
        File("group_vars/all.yml", GROUP_VARS),
        *(File(path, content) for path, content in playbooks.items()),
    ]


def playbook(verb: Verb, title: str) -> str:
    """The playbook of a template. Templates of a verb have the same one, unless they set variables."""
    return f"{title.replace(' ', '_') if verb.templates[title].vars else verb.name}.yml"


def _playbook(verb: Verb, title: str, template: Template) -> str:
    heading = title.capitalize() if template.vars else verb.title
    text = PLAYBOOK.format(title=heading, verb=verb.name)
    if not template.vars:
        return text
    return text + "  vars:\n" + "".join(f"    {name}: {json.dumps(value)}\n" for name, value in template.vars.items())
