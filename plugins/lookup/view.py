# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: view
author: mlfleet (@mlfleet)
version_added: 0.1.0
short_description: What the tasks of a role need, computed in Python from the variables of the current host
description:
  - The views of a role are functions of C(plugins/plugin_utils/views) that read variables and return values.
  - A view is evaluated each time it is read, with the variables that are defined by then, and no other view with it. One that
    reads an undefined variable is undefined.
  - For the roles of this collection; docs/design/views.md explains how to write a view.
options:
  _terms:
    description: The role.
    required: true
"""

EXAMPLES = r"""
- name: Associate subnets
  ansible.builtin.debug:
    msg: "{{ lookup('mlfleet.hyperpod.view', 'client_vpn').associations.chosen }}"
"""

RETURN = r"""
_raw:
  description: One mapping, the values of the views by name. The value of a view with several fields is a dictionary.
  type: list
  elements: dict
"""

import dataclasses
import typing as t

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase
from ansible.plugins.lookup.vars import LookupModule as OfVariables
from ansible.template import accept_lazy_markers
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import views
from jinja2 import Undefined, UndefinedError

FROM_NODES = ("ansible_facts", "ansible_local")


class Reader(OfVariables):
    """C(ansible.builtin.vars) without its option, which is looked up in the configuration each time."""

    def set_options(self, *_arguments: t.Any, **_options: t.Any) -> None:
        """Has none."""

    def get_option(self, *_arguments: t.Any, **_options: t.Any) -> t.Any:
        return None


class Defined(t.Mapping[str, t.Any]):
    """The variables of the current host, each evaluated when it is read and no deeper than it is looked at."""

    def __init__(self, variables: t.Mapping[str, t.Any], reader: Reader) -> None:
        self._variables = variables
        self._reader = reader

    def __getitem__(self, name: str) -> t.Any:
        value = self._evaluated(name)
        if isinstance(value, Undefined):
            str(value)  # raises, and makes the view undefined
        return value

    def get(self, key: str, default: t.Any = None) -> t.Any:
        """``default`` for what is undefined so far, as in Jinja."""
        value = self._evaluated(key)
        return default if isinstance(value, Undefined) else value

    def __iter__(self) -> t.Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def _evaluated(self, name: str) -> t.Any:
        if name in FROM_NODES:
            raise AnsibleError(f"A view may not read {name}, which nodes write.")
        return self._reader.run([name], self._variables)[0]


class OfRole(t.Mapping[str, t.Any]):
    """The values of a role's views, each computed when it is read."""

    def __init__(self, views_of_role: t.Mapping[str, views.View], variables: t.Mapping[str, t.Any]) -> None:
        self._views = views_of_role
        self._variables = variables

    def __getitem__(self, name: str) -> t.Any:
        view = self._views[name]
        try:
            value = view(self._variables)
        except UndefinedError as error:
            return _undefined(error)
        except (AttributeError, LookupError, TypeError) as error:  # Jinja would take them for a missing view
            raise AnsibleError(f"View {name}: {type(error).__name__}: {error}") from error
        if not dataclasses.is_dataclass(value):
            return value
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}

    def __iter__(self) -> t.Iterator[str]:
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)


def _undefined(error: UndefinedError) -> t.Any:
    """What was undefined, as ansible-core's error has it: only as a value is it something that C(default) can replace."""
    source = getattr(error, "source", None)
    if isinstance(source, Undefined):
        return source
    raise error


@accept_lazy_markers
class LookupModule(LookupBase):
    def run(self, terms: list[str], variables: t.Any = None, **_options: t.Any) -> list[OfRole]:
        (role,) = terms
        if role not in views.ROLES:
            raise AnsibleError(f"No role has views named {role}.")
        return [OfRole(views.of_role(role), Defined(variables, Reader(loader=self._loader, templar=self._templar)))]
