# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated services consist of mixins: no mixin overrides a method of another one."""

from __future__ import annotations

import collections
import importlib
import typing as t

import pytest

SERVICES = {"sagemaker": "HyperPodResponse", "ssm": "SessionResponse", "ec2": "Responses", "eks": "Responses", "elbv2": "Responses"}


@pytest.mark.parametrize("service", SERVICES)
def test_no_mixin_overrides_a_method_of_another(service: str) -> None:
    made: t.Any = getattr(importlib.import_module(f"lab.aws.{service}.responses"), SERVICES[service])
    names = collections.defaultdict(list)
    for part in (each for each in made.__mro__ if each.__module__.startswith("lab.")):
        for name in vars(part):
            if not name.startswith("__"):
                names[name].append(part.__name__)
    assert {name: parts for name, parts in names.items() if len(parts) > 1} == {}
