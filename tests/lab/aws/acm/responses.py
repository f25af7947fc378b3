# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replies that differ from moto's."""

from __future__ import annotations

import typing as t

from moto.acm.responses import AWSCertificateManagerResponse
from moto.core.responses import ActionResult


class Responses(AWSCertificateManagerResponse):
    """Replaces moto's handlers."""

    def get_certificate(self) -> ActionResult:
        bundle: t.Any = self.acm_backend.get_certificate(self._get_param("CertificateArn"))
        chain = getattr(bundle, "imported_chain", bundle.chain)
        return ActionResult(
            {"Certificate": bundle.cert.decode(), **({"CertificateChain": chain.decode()} if chain else {})}
        )
