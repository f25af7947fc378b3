# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operation."""

from __future__ import annotations

import typing as t

from moto.core.responses import BaseResponse

from .. import cloud
from ..action import Refusal, action
from .models import pricing_backends

Answer = dict[str, t.Any]
FORMAT = "aws_v1"
PAGE = 2


class Responses(BaseResponse):
    """A page has at most two entries, so that callers must read later pages. moto refuses other operations as not implemented."""

    def __init__(self) -> None:
        super().__init__(service_name="pricing")

    @action
    def get_products(
        self,
        ServiceCode: str,
        Filters: t.Sequence[t.Mapping[str, str]] = (),
        FormatVersion: str = FORMAT,
        MaxResults: int = PAGE,
        NextToken: str = "0",
    ) -> Answer:
        if FormatVersion != FORMAT:
            raise Refusal("InvalidParameterException", f"The format version {FormatVersion} is not supported")
        if not NextToken.isdecimal():
            raise Refusal("InvalidNextTokenException", "The pagination token is invalid")
        found = self._backend.found(ServiceCode, Filters) if cloud.current().settings["price_list"] else []
        start = int(NextToken)
        end = start + min(MaxResults, PAGE)
        more = {"NextToken": str(end)} if end < len(found) else {}
        return {"FormatVersion": FORMAT, "PriceList": found[start:end], **more}

    @property
    def _backend(self) -> t.Any:
        return pricing_backends[self.current_account][self.region]
