# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The two modules of task governance, which differ only in their kind."""

from __future__ import annotations

import typing as t

from ..._aws.client import connect
from ..._core.converge import Resource
from ..api import connect_hyperpod
from ..instance_types import InstanceTypes
from ..waits import waits_of
from .apply import Applier
from .fields import Kind
from .observe import Observer
from .options import desired, require_known
from .plan import plan
from .result import result


def resource(kind: Kind, module: t.Any) -> Resource:
    """:raises Refused: for the first invalid option."""
    wanted = desired(kind, module.params)
    api = connect_hyperpod(module)
    require_known(api, wanted)
    observer = Observer(
        api,
        wanted,
        instance_types=lambda: InstanceTypes(connect(module, "ec2").client),
        waits=waits_of(module),
    )
    return Resource(
        observe=observer,
        plan=lambda state: plan(wanted, state),
        apply=Applier(api, wanted, observer),
        result=lambda state: result(wanted, state),
        lost_race=f"{wanted.resource} of cluster {wanted.cluster_arn} keeps changing concurrently. Run again later.",
    )
