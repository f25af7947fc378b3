# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role client_vpn, checked before any request."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declared_people
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.client_vpn import window_problems
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused

from . import endpoint, limits
from .variables import Known

Values = t.Mapping[str, t.Any]
"""Values, keyed by variable of the role."""

NUMBERS = {
    "client_vpn_certificate_days": (2, 3650),
    "client_vpn_crl_days": (2, 3650),
    "client_vpn_renew_before": (1, 3649),
    "client_vpn_wait_timeout": (60, 7200),
    "client_vpn_poll_interval": (1, 300),
}
RETENTIONS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653)
"""Days that CloudWatch Logs allows."""
_BYTE = r"(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_NETWORK = rf"^({_BYTE}(\.(?!/)|(?=/))){{4}}/"
TEXTS = {
    "client_vpn_client_cidr": {
        "pattern": _NETWORK + r"(1[2-9]|2[0-2])$",
        "allowed": "IPv4 ranges from /12 to /22, as in 172.20.0.0/20",
    },
    "client_vpn_allowed_cidrs": {
        "pattern": _NETWORK + r"(3[0-2]|[12]?[0-9])$",
        "allowed": "IPv4 ranges, as in 10.40.0.0/16",
    },
    "client_vpn_subnets": {
        "pattern": r"^subnet-[0-9a-f]+$",
        "allowed": "subnet IDs, as in subnet-0123456789abcdef0",
    },
    "client_vpn_dns_servers": {
        "pattern": rf"^(resolver|({_BYTE}(\.(?!$)|$)){{4}})$",
        "allowed": "IPv4 addresses, and resolver",
    },
    "client_vpn_domain": {
        "pattern": r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$",
        "allowed": "domain names in lower case, as in vpn.example.com",
    },
}
OF_ENDPOINT = (
    "client_vpn_authentication",
    "client_vpn_authorization_rules",
    "client_vpn_banner",
    "client_vpn_dns_servers",
    "client_vpn_routes",
    "client_vpn_server_certificate_arn",
    "client_vpn_tags",
)
"""Variables that the module ``client_vpn_endpoint`` checks."""


def offline(values: Values, known: Known) -> list[str]:
    return [*limits.range_problems(values, NUMBERS, known), *limits.text_problems(values, TEXTS, known)]


def refusals(values: Values, known: Known) -> Findings:
    """All problems. The endpoint, and the days before a renewal, are checked only if all numbers and texts are valid."""
    first = refused(offline(values, known))
    checks = (_of_window, _of_retention, _of_users, *(() if first else (_of_endpoint, _of_renewal)))
    return [*first, *(finding for check in checks for finding in check(values, known))]


def _of_endpoint(values: Values, _known: Known) -> Findings:
    return refused(endpoint.problems({name: declared_people.plain(values[name]) for name in OF_ENDPOINT}))


def _of_window(values: Values, _known: Known) -> Findings:
    parts = window_problems(values["client_vpn_window"])
    return finding("vpn-window", parts=parts) if parts else []


def _of_retention(values: Values, _known: Known) -> Findings:
    days = values["client_vpn_log_retention_days"]
    return [] if int(days) in RETENTIONS else finding("vpn-log-days", days=days, allowed=RETENTIONS)


def _of_renewal(values: Values, _known: Known) -> Findings:
    before, certificate, crl = (values[f"client_vpn_{name}"] for name in ("renew_before", "certificate_days", "crl_days"))
    right = int(before) < min(int(certificate), int(crl))
    return [] if right else finding("vpn-renew-before", days=before, certificate_days=certificate, crl_days=crl)


def _of_users(values: Values, _known: Known) -> Findings:
    return refused(declared_people.problems(values["client_vpn_users"], values["client_vpn_users_files"], {}))
