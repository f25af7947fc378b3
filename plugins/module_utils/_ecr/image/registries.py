# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Private registries of ECR. A token is valid for the registries of one Region, and a builder needs a login for each host."""

from __future__ import annotations

import re
import typing as t

_DOMAIN = r"amazonaws\.com(?:\.cn)?|on\.aws|on\.amazonwebservices\.com\.cn"
_HOST = re.compile(rf"\d{{12}}\.dkr[.-]ecr(?:-fips)?\.(?P<region>[a-z0-9-]+)\.(?:{_DOMAIN})")


def region_of(host: str) -> str | None:
    """The Region of a private registry of ECR; None for other hosts."""
    match = _HOST.fullmatch(host)
    return match["region"] if match else None


def logins(uri: str, base_images: t.Iterable[str]) -> dict[str, str]:
    """Regions of all private registries of ECR that a build needs, keyed by host.

    :param uri: URI of the repository for the built image.
    """
    hosts = dict.fromkeys(reference.partition("/")[0] for reference in (uri, *base_images))
    found = {host: region_of(host) for host in hosts}
    return {host: region for host, region in found.items() if region is not None}
