# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backend: products that match filters."""

from __future__ import annotations

import json
import typing as t

from moto.core.base_backend import BackendDict, BaseBackend

from .. import cloud
from ..action import Refusal
from .products import SERVICES, Product, products

Filters = t.Sequence[t.Mapping[str, str]]


class PriceList(BaseBackend):
    """The list of a partition; that of China has no products here."""

    def found(self, service: str, filters: Filters) -> list[str]:
        """The entries of the products that match all filters, as JSON.

        :raises Refusal: for an unknown service.
        :raises NotImplementedError: for filters other than TERM_MATCH.
        """
        if service not in SERVICES:
            raise Refusal("NotFoundException", f"There is no service {service}")
        other = next((each["Type"] for each in filters if each["Type"] != "TERM_MATCH"), "")
        if other:
            raise NotImplementedError(f"filter type {other}")
        listed = products(cloud.current().settings["prices"]) if self.partition == "aws" else []
        return [json.dumps(each.entry()) for each in listed if each.service == service and _matches(each, filters)]


def _matches(product: Product, filters: Filters) -> bool:
    """A product without the attribute does not match."""
    fields = product.fields()
    return all(fields.get(each["Field"]) == each["Value"] for each in filters)


pricing_backends = BackendDict(PriceList, "pricing")
