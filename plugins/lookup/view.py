# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: view
author: mlfleet (@mlfleet)
version_added: 0.1.0
short_description: Compute the values that the tasks of a role need
description:
  - A view is a function in C(plugins/plugin_utils/views). It reads the variables of the current host and returns a value for the
    tasks of a role.
  - A view is evaluated each time it is read, with the variables that are defined at that time. Other views of the role are not
    evaluated. A view that reads an undefined variable is undefined.
  - This lookup is for the roles of this collection. The page docs/design/views.md explains how to write a view.
options:
  _terms:
    description: Name of the role.
    required: true
"""

EXAMPLES = r"""
- name: Associate subnets
  ansible.builtin.debug:
    msg: "{{ lookup('mlfleet.hyperpod.view', 'client_vpn').associations.chosen }}"
"""

RETURN = r"""
_raw:
  description: One mapping from the names of the views to their values. The value of a view with several fields is a dictionary.
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
    """``ansible.builtin.vars`` without its option. Otherwise, each lookup would read the option from the configuration."""

    def set_options(self, *_arguments: t.Any, **_options: t.Any) -> None:
        """This plugin has no options."""

    def get_option(self, *_arguments: t.Any, **_options: t.Any) -> t.Any:
        return None


class Defined(t.Mapping[str, t.Any]):
    """The variables of the current host. A variable is evaluated when it is first read; templates nested in its value are not."""

    def __init__(self, variables: t.Mapping[str, t.Any], reader: Reader) -> None:
        self._variables = variables
        self._reader = reader
        self._read: dict[str, t.Any] = {}

    def __getitem__(self, name: str) -> t.Any:
        value = self._evaluated(name)
        if isinstance(value, Undefined):
            str(value)  # raises, and makes the view undefined
        return value

    def get(self, key: str, default: t.Any = None) -> t.Any:
        """``default`` if the variable is undefined, as in Jinja."""
        value = self._evaluated(key)
        return default if isinstance(value, Undefined) else value

    def __iter__(self) -> t.Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def _evaluated(self, name: str) -> t.Any:
        if name in FROM_NODES:
            raise AnsibleError(f"A view must not read {name}, because nodes can write it.")
        if name not in self._read:
            self._read[name] = self._reader.run([name], self._variables)[0]
        return self._read[name]


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
        except (AttributeError, LookupError, TypeError) as error:  # Jinja would treat these errors as a missing view
            raise AnsibleError(f"View {name}: {type(error).__name__}: {error}") from error
        if not dataclasses.is_dataclass(value):
            return value
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}

    def __iter__(self) -> t.Iterator[str]:
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)


def _undefined(error: UndefinedError) -> t.Any:
    """The undefined value in ansible-core's error. The filter ``default`` can replace a value, but not an exception."""
    source = getattr(error, "source", None)
    if isinstance(source, Undefined):
        return source
    raise error


@accept_lazy_markers
class LookupModule(LookupBase):
    def run(self, terms: list[str], variables: t.Any = None, **_options: t.Any) -> list[OfRole]:
        (role,) = terms
        if role not in views.ROLES:
            raise AnsibleError(f"The role {role} does not exist or has no views.")
        return [OfRole(views.of_role(role), Defined(variables, Reader(loader=self._loader, templar=self._templar)))]
