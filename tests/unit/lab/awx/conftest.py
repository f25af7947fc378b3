# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An AWX with the repository of a small project, and its administrator."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from lab.awx.client import SCM_URL, Client
from lab.awx.server import Server, running

PLAYBOOK = """\
- name: Report what the job got
  hosts: all:localhost
  gather_facts: false
  connection: local
  tasks:
    - name: Report the variables
      ansible.builtin.set_stats:
        data:
          seen: "{{ seen | default('') }}{{ awx_job_template_name }} "
          text: "{{ text | default('') }}"
          home: "{{ lookup('env', 'HOME') }}"
          key: "{{ lookup('file', lookup('env', 'KEY_FILE') or '/dev/null') }}"
          hosts: "{{ groups.all }}"
      run_once: true
    - name: Fail by request
      ansible.builtin.fail: {msg: "as requested"}
      when: fails | default(false) | bool
"""


@pytest.fixture()
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "group_vars").mkdir(parents=True)
    (folder / "group_vars/all.yml").write_text("hosts: none\n")
    (folder / "variables.yml").write_text("name: clusters\n")
    (folder / "reconcile.yml").write_text(PLAYBOOK)
    (folder / "ansible.cfg").write_text("[defaults]\nlocalhost_warning = False\n")
    (folder / "hosts.ini").write_text("node-1 ansible_connection=local ansible_python_interpreter=/usr/bin/python3\n")
    return folder


@pytest.fixture()
def awx(tmp_path: Path, repository: Path) -> t.Iterator[Server]:
    with running(tmp_path / "awx", {SCM_URL: repository}, secrets={"fleet/key": "from the store"}) as server:
        yield server


@pytest.fixture()
def admin(awx: Server) -> Client:
    return Client.with_token(awx.url, awx.token)
