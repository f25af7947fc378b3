# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation of modules agrees with their argument specifications and tables of fields."""

from __future__ import annotations

import importlib
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.module_utils.basic import AnsibleModule
from ansible_collections.amazon.aws.plugins.module_utils.modules import aws_argument_spec
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer import model as load_balancer_fields
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group import model as target_group_fields
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.settings import Table
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.table import SETTINGS as NODEGROUP
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre import table as file_system_fields
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.model import LISTS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.table import CLUSTER
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA, SCHEDULER
from ansible_collections.mlfleet.hyperpod.plugins.modules import (
    cluster,
    cluster_scheduler_config,
    compute_quota,
    eks_nodegroup,
    fsx_lustre_file_system,
    network_load_balancer,
    target_group,
)

ROOT = Path(__file__).resolve().parents[3]
OURS = "ansible_collections.mlfleet.hyperpod.plugins."
MODULES = sorted(path.stem for path in ROOT.glob("plugins/modules/*.py"))
ACTIONS = ("awx_object", "awx_plan", "awx_project", "finding", "fleet_report", "report_file")
"""Action plugins without a module, which run on the controller."""
RULES = ("mutually_exclusive", "required_together", "required_one_of", "required_if", "required_by")
KNOWN = {"type", "elements", "default", "fallback", "choices", "required", "no_log", "aliases", "apply_defaults", "options", *RULES}
"""Keys that ansible-core reads in the specification of an option; it ignores all others."""
AMAZON = aws_argument_spec()
"""Options that ``amazon.aws`` adds and documents."""

Options = dict[str, dict[str, t.Any]]


class Captured(Exception):
    """Raised with the arguments that a module passes to AnsibleModule."""


@pytest.mark.parametrize(
    ("module", "path", "table"),
    [
        (target_group, (), target_group_fields.PROPERTIES),
        (target_group, ("health_check",), target_group_fields.HEALTH_CHECK),
        (target_group, ("attributes",), target_group_fields.ATTRIBUTES),
        (network_load_balancer, ("attributes",), load_balancer_fields.ATTRIBUTES),
        (network_load_balancer, (), load_balancer_fields.PROTECTION),
        (fsx_lustre_file_system, (), file_system_fields.TABLE),
    ],
)
def test_documentation_follows_the_table(module, path, table):
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    for name in path:
        options = options[name]["suboptions"]
        assert set(options) == {field.option for field in table}
    for field in table:
        documented = options[field.option]
        text = " ".join(documented["description"])
        assert documented["type"] == field.type
        assert tuple(documented.get("choices", ())) == field.choices
        assert field.about in text
        for bound in (field.low, field.high, field.word):
            assert bound is None or str(bound) in text


WHOLE = {CLUSTER: cluster, SCHEDULER.table: cluster_scheduler_config, QUOTA.table: compute_quota, NODEGROUP: eks_nodegroup}
"""Tables of modules that have further options."""


@pytest.mark.parametrize("table", [*WHOLE, *(table for _option, _api, table in LISTS)])
def test_documentation_follows_a_table_of_structures(table: Table) -> None:
    options = yaml.safe_load(WHOLE.get(table, cluster).DOCUMENTATION)["options"]
    if table not in WHOLE:
        options = next(options[option]["suboptions"] for option, _api, each in LISTS if each is table)
    pairs = [(table, options)]
    while pairs:
        settings, documented_options = pairs.pop()
        assert table in WHOLE or {setting.option for setting in settings} == set(documented_options)
        for setting in settings:
            text = " ".join(documented_options[setting.option]["description"])
            assert setting.about in text
            assert tuple(documented_options[setting.option].get("choices", ())) == setting.choices
            assert setting.type not in ("int", "float") or all(str(bound) in text for bound in (setting.low, setting.high) if bound is not None)
            assert not setting.instead_of or f"C({setting.instead_of})" in text
            if setting.parts:
                pairs.append((setting.parts, documented_options[setting.option]["suboptions"]))


def documented(module: str) -> Options:
    """The options of a module, with those of our fragments that it extends."""
    documentation = yaml.safe_load(importlib.import_module(f"{OURS}modules.{module}").DOCUMENTATION)
    options: Options = {}
    for fragment in documentation.get("extends_documentation_fragment", []):
        if fragment.startswith("mlfleet.hyperpod."):
            options |= yaml.safe_load(_fragment(fragment))["options"]
    return options | documentation.get("options", {})


def _fragment(name: str) -> str:
    _namespace, _collection, file, *section = name.split(".")
    found = importlib.import_module(f"{OURS}doc_fragments.{file}").ModuleDocFragment
    text: str = getattr(found, "".join(section).upper() or "DOCUMENTATION")
    return text


def specification_of(module: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, t.Any]:
    """Arguments that a module, or the action plugin without a module, passes to ansible-core."""

    def capture(_self: object, **arguments: t.Any) -> t.NoReturn:
        raise Captured(arguments)

    if module in ACTIONS:
        return {"argument_spec": importlib.import_module(f"{OURS}action.{module}").ARGUMENTS}
    monkeypatch.setattr(AnsibleModule, "__init__", capture)
    with pytest.raises(Captured) as error:
        importlib.import_module(f"{OURS}modules.{module}").main()
    arguments: dict[str, t.Any] = error.value.args[0]
    return arguments


def as_documented(options: Options) -> dict[str, t.Any]:
    return {
        name: {
            "type": option["type"],
            "elements": option.get("elements"),
            "default": option.get("default"),
            "choices": list(option["choices"]) if "choices" in option else None,
            "required": option.get("required", False),
            "aliases": option.get("aliases", []),
            "options": as_documented(option.get("suboptions") or {}),
        }
        for name, option in options.items()
    }


def as_specified(options: Options) -> dict[str, t.Any]:
    return {
        name: {
            "type": option.get("type", "str"),
            "elements": option.get("elements"),
            "default": option.get("default"),
            "choices": list(option["choices"]) if "choices" in option else None,
            "required": option.get("required", False),
            "aliases": list(option.get("aliases", [])),
            "options": as_specified(option.get("options") or {}),
        }
        for name, option in options.items()
    }


def levels(rules: dict[str, t.Any], options: Options) -> t.Iterator[tuple[dict[str, t.Any], Options]]:
    """Options with the rules about them, at this level and inside each option."""
    yield rules, options
    for option in options.values():
        yield from levels(option, option.get("options") or {})


def named(rules: t.Mapping[str, t.Any]) -> set[str]:
    """Names of the options in rules."""
    together = [name for rule in RULES[:3] for names in rules.get(rule) or () for name in names]
    conditions = [name for option, _value, names, *_any in rules.get("required_if") or () for name in (option, *names)]
    given = [name for option, names in (rules.get("required_by") or {}).items() for name in (option, *_listed(names))]
    return {*together, *conditions, *given}


def _listed(names: str | t.Iterable[str]) -> t.Iterable[str]:
    return [names] if isinstance(names, str) else names


@pytest.mark.parametrize("module", MODULES)
def test_the_documentation_of_each_option_equals_its_specification(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    specification = specification_of(module, monkeypatch)["argument_spec"]
    own = {name: option for name, option in specification.items() if option != AMAZON.get(name)}
    assert as_specified(own) == as_documented(documented(module))


@pytest.mark.parametrize("module", MODULES)
def test_specifications_have_only_keys_and_options_that_ansible_core_knows(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = specification_of(module, monkeypatch)
    for rules, options in levels(arguments, arguments["argument_spec"]):
        assert {key for option in options.values() for key in option} <= KNOWN
        assert named(rules) <= options.keys()
