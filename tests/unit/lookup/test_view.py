# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views in templates: undefined values, evaluation on demand, and variables that must not be read."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass
from pathlib import Path

import pytest
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import lookup_loader
from ansible.template import Templar, trust_as_template
from ansible_collections.mlfleet.hyperpod.plugins.lookup.view import Defined, Reader
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import views
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import Variables

CALL = "lookup('view', 'x').names"


@dataclass(frozen=True)
class Names:
    users: list[str]
    port: int
    facts: t.Any


def names(variables: Variables) -> Names:
    port = variables.get("port", 22)
    return Names([each["name"] for each in variables["users"]], port, variables[variables.get("read", "port_of_host")])


def first(variables: Variables) -> t.Any:
    """A view with one value."""
    return variables["users"][0]


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., t.Any]:
    monkeypatch.setattr(views, "ROLES", {"x"})
    monkeypatch.setattr(views, "of_role", {"x": {"names": names, "first": first}}.__getitem__)
    lookup_loader.add_directory(str(Path(__file__).resolve().parents[3] / "plugins/lookup"))

    def render(text: str, **variables: t.Any) -> t.Any:
        trusted = {name: trust_as_template(value) if isinstance(value, str) else value for name, value in variables.items()}
        known = {"port_of_host": 222, "users": [{"name": trust_as_template("{{ 'al' + 'ice' }}")}], **trusted}
        return Templar(loader=DataLoader(), variables=known).template(trust_as_template(text))

    return render


def test_fields_of_a_view_are_values(rendered: t.Callable[..., t.Any]) -> None:
    assert rendered("{{ " + CALL + " }}") == {"users": ["alice"], "port": 22, "facts": 222}
    assert rendered("{{ " + CALL + ".port }}", port="{{ 20 + 2 + 200 }}") == 222


def test_a_view_may_have_one_value(rendered: t.Callable[..., t.Any]) -> None:
    assert rendered("{{ lookup('view', 'x').first }}") == {"name": "alice"}
    assert rendered("{{ lookup('view', 'x').first.name }}") == "alice"
    assert rendered("{{ lookup('view', 'x').first }}", users=[None]) is None


def test_no_other_view_is_evaluated(rendered: t.Callable[..., t.Any]) -> None:
    assert rendered("{{ lookup('view', 'x').first }}", users=["alice"]) == "alice"
    assert rendered("{{ lookup('view', 'x') | list }}", users="{{ nothing }}") == ["names", "first"]


@pytest.mark.parametrize("users", [[], 5, [{"alice": "name"}]])
def test_an_exception_in_a_view_is_an_error_and_not_undefined(rendered: t.Callable[..., t.Any], users: t.Any) -> None:
    text = "{{ [lookup('view', 'x').first, lookup('view', 'x').names] | default('none') }}"
    with pytest.raises(AnsibleError, match="View (first|names): (Index|Type|Key)Error"):
        rendered(text, users=users)


def test_a_role_without_views_is_named(rendered: t.Callable[..., t.Any]) -> None:
    with pytest.raises(AnsibleError, match=r"The role x\.names does not exist or has no views\."):
        rendered("{{ lookup('view', 'x.names') }}")


def test_an_unknown_view_is_undefined(rendered: t.Callable[..., t.Any]) -> None:
    with pytest.raises(AnsibleError, match="'nothing'"):
        rendered("{{ lookup('view', 'x').nothing }}")


def test_get_returns_the_default_for_an_undefined_variable(rendered: t.Callable[..., t.Any]) -> None:
    assert rendered("{{ " + CALL + ".port }}", port="{{ nothing }}") == 22


@pytest.mark.parametrize("users", ["{{ nothing }}", "{{ {}.nothing }}"])
def test_a_view_of_an_undefined_variable_is_undefined(rendered: t.Callable[..., t.Any], users: str) -> None:
    text = "{{ [" + CALL + " is defined, " + CALL + ".port | default('none')] }}"
    assert rendered(text, users=users) == [False, "none"]
    with pytest.raises(AnsibleError, match="nothing"):
        rendered("{{ " + CALL + ".port }}", users=users)


def test_variables_that_a_view_does_not_read_are_not_evaluated(rendered: t.Callable[..., t.Any]) -> None:
    users = [{"name": "alice", "key": trust_as_template("{{ nothing }}")}]
    assert rendered("{{ " + CALL + ".users }}", users=users) == ["alice"]


def test_untrusted_text_is_not_evaluated(rendered: t.Callable[..., t.Any]) -> None:
    assert rendered("{{ " + CALL + ".users }}", users=[{"name": "{{ port_of_host }}"}]) == ["{{ port_of_host }}"]
    assert rendered("{{ lookup('view', 'x').first }}", users=["{{ port_of_host }}"]) == "{{ port_of_host }}"
    assert rendered("{{ lookup('view', 'x').first.name }}", users=[{"name": "{{ port_of_host }}"}]) == "{{ port_of_host }}"


def test_views_can_iterate_over_all_variables() -> None:
    templar = Templar(loader=DataLoader(), variables={"a": 1, "b": 2})
    seen = Defined({"a": 1, "b": 2}, Reader(loader=None, templar=templar))
    assert (len(seen), list(seen), dict(seen)) == (2, ["a", "b"], {"a": 1, "b": 2})
    assert not Defined({}, Reader(loader=None, templar=templar))


def test_a_variable_is_evaluated_once_for_all_functions_that_read_it() -> None:
    variables = {"number": trust_as_template("{{ (10 ** 15) | random }}")}
    seen = Defined(variables, Reader(loader=None, templar=Templar(loader=DataLoader(), variables=variables)))
    assert seen["number"] == seen.get("number")


@pytest.mark.parametrize("name", ["ansible_facts", "ansible_local"])
def test_views_must_not_read_facts_of_nodes(rendered: t.Callable[..., t.Any], name: str) -> None:
    with pytest.raises(AnsibleError, match="because nodes can write it"):
        rendered("{{ " + CALL + ".port }}", read=name, ansible_facts={}, ansible_local={})
