# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations whose answers moto cuts short."""

from __future__ import annotations

import typing as t

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response


class Responses(EC2Response):
    """Served in place of moto's."""

    def authorize_security_group_ingress(self) -> ActionResult:
        return self._authorized(self.ec2_backend.authorize_security_group_ingress)

    def authorize_security_group_egress(self) -> ActionResult:
        return self._authorized(self.ec2_backend.authorize_security_group_egress)

    def _authorized(self, authorize: t.Callable[..., t.Any]) -> ActionResult:
        """Answer with the rules of every permission; moto tells those of the last one."""
        self.error_on_dryrun()
        rules = [rule for permission in self._process_rules_from_querystring() for rule in authorize(**permission)[0]]
        return ActionResult({"Return": True, "SecurityGroupRules": rules})
