# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of known variables has all variables that playbooks and roles read; an unlisted one would be refused or noted."""

from __future__ import annotations

import functools
import re
import typing as t
from pathlib import Path

import jinja2
import jinja2.nodes
import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Node
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import known_variables, variables
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory import hosts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.discovery import Found
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.ssh_options import Access
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import state

ROOT = Path(__file__).resolve().parents[3]
BARE = ("when", "that", "changed_when", "failed_when", "until")
"""Keys whose texts are expressions without braces."""
ENVIRONMENT = jinja2.Environment(extensions=["jinja2.ext.do"])
RUN_PREFIXES = ("adopt_", "drain_", "drift_", "forget_", "login_access_", "purge_", "readmit_", "rotation", "teardown_", "undrain_", "unlock_", "vpn_")
PREFIXES = (*variables.PREFIXES, *RUN_PREFIXES)
PAGES = ("README.md", "docs/**/*.md", "roles/*/README.md", "inventories/example/**/*.yml")
OTHER_NAMES = (
    *("cluster_arn", "cluster_prod_eu", "hyperpod_clusters", "hyperpod_definitions", "hyperpod_message", "hyperpod_nodes"),
    *("login_nodes_in_service", "offboard_person"),
)
"""Other names in pages: groups, an option of a module, fields of reports, and variables of hooks."""
ANSIBLE_NAMES = {"awx_job_id", "dict", "group_names", "groups", "hostvars", "inventory_hostname", "lookup", "now", "omit", "query", "range"}
IN_TEMPLATES = {"item", "key", "loop", "name", "node"}
READ_BY_PLUGINS = ("drift_json", "drift_junit", "drift_prometheus", "offboard_hook_evidence", *known_variables.OF_RUN)
"""Extra variables that the callback or people's hooks read, not expressions."""


@functools.cache
def documents() -> tuple[t.Any, ...]:
    files = [*ROOT.glob("playbooks/**/*.yml")]
    files += [path for folder in ("tasks", "defaults", "vars", "handlers") for path in ROOT.glob(f"roles/*/{folder}/**/*.yml")]
    return tuple(yaml.safe_load(path.read_text()) for path in files)


def expressions(value: t.Any, *, bare: bool = False) -> t.Iterator[str]:
    if isinstance(value, str):
        if "{{" in value or "{%" in value:
            yield value
        elif bare:
            yield "{{ " + value + " }}"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from expressions(item, bare=key in BARE)
    elif isinstance(value, list):
        for item in value:
            yield from expressions(item, bare=bare)


def assigned(value: t.Any) -> t.Iterator[str]:
    """Names that tasks set: facts, registered variables and variables of tasks."""
    if isinstance(value, list):
        for item in value:
            yield from assigned(item)
    if isinstance(value, dict):
        for name in ("ansible.builtin.set_fact", "vars"):
            if isinstance(value.get(name), dict):
                yield from value[name]
        yield from (value[name] for name in ("register", "loop_var") if isinstance(value.get(name), str))
        for item in value.values():
            yield from assigned(item)


@functools.cache
def read() -> frozenset[str]:
    texts = [text for document in documents() for text in expressions(document)]
    texts += [path.read_text() for path in ROOT.glob("roles/*/templates/*.j2")]
    return frozenset(name.name for text in texts for name in ENVIRONMENT.parse(text).find_all(jinja2.nodes.Name))


@functools.cache
def read_by_views() -> frozenset[str]:
    named = re.compile(r'\bvariables(?:\[|\.get\()"(\w+)"')
    return frozenset(name for path in ROOT.glob("plugins/plugin_utils/views/**/*.py") for name in named.findall(path.read_text()))


def known() -> set[str]:
    return {*known_variables.of_people(), *known_variables.OF_INVENTORY, *known_variables.PASSED}


@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")  # regular expressions in Jinja's strings
def test_each_variable_that_is_read_and_not_set_by_a_task_is_known() -> None:
    set_by_tasks = {name for document in documents() for name in assigned(document)}
    ours = {name for name in read() if not name.startswith(("ansible_", "_", "hyperpod_internal_"))} - ANSIBLE_NAMES - IN_TEMPLATES
    assert len(ours) > 100
    assert sorted(ours - set_by_tasks - known()) == [], "list them in plugins/plugin_utils/known_variables.py"


@pytest.mark.parametrize("name", sorted(known_variables.of_people() - known_variables.of_roles() - {*READ_BY_PLUGINS}))
def test_each_variable_that_people_may_set_is_read(name: str) -> None:
    assert name in read() | read_by_views()


def test_the_artifact_of_an_earlier_job_changes_nothing() -> None:
    """A workflow of AWX passes the artifact to later jobs as the extra variable ``hyperpod``."""
    assert "hyperpod" not in read() | read_by_views()


def test_each_variable_of_the_inventory_is_known() -> None:
    cluster = Cluster("ml", "arn:aws:sagemaker:r:1:cluster/a", "a", "r", "1", "aws", "InService", "slurm")
    node = Node("i-1", "g", "login", "t", "Running", "", "", "", "10.0.0.1")
    access = Access.checked(user="o", state_dir="~/a", private_key_file=None)
    made = hosts.hosts_of(Found(cluster, (node,), None, "ssm", "ml", {"a": "b"}), access)
    names = {name for host in made.values() for name in host["vars"] if name.startswith("hyperpod_")}
    assert names | {"hyperpod_inventory_failures", "hyperpod_inventory_read"} == set(known_variables.OF_INVENTORY)


def test_each_variable_in_the_pages_exists() -> None:
    """Otherwise people would copy a variable without effect from an example."""
    starts = "|".join(sorted({*PREFIXES, "accounts_", "records_", "status_"}))
    named = re.compile(rf"(?<![\w./-])(?:{starts})[a-z_]*[a-z](?![\w*])")
    fields = {each.name for each in (*state.CLUSTER, *state.NODE)}  # of hyperpod_run
    parts = {path.stem for folder in ("plugins/*/*.py", "plugins/*/*.yml", "playbooks/**/*.yml") for path in ROOT.glob(folder)}
    existing = known() | parts | fields | {path.name for path in ROOT.glob("roles/*")} | {*OTHER_NAMES}
    pages = [path for each in PAGES for path in ROOT.glob(each)]
    found = {(path.name, name) for path in pages for name in named.findall(path.read_text()) if not name.startswith("hyperpod_internal_")}
    assert len(found) > 100
    assert sorted(each for each in found if each[1] not in existing) == []
