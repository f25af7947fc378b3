# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes of moto's server for this backend."""

from __future__ import annotations

from moto.eks import urls

from .responses import Responses

url_bases = urls.url_bases
CLUSTER = "{0}/clusters/(?P<name>[^/]+)"
ENTRY = f"{CLUSTER}/access-entries/(?P<principalArn>.+)"
ASSOCIATION = f"{CLUSTER}/pod-identity-associations"
OURS = (
    *(f"{CLUSTER}/addons$", f"{CLUSTER}/addons/(?P<addonName>[^/]+)$", f"{CLUSTER}/addons/(?P<addonName>[^/]+)/update$"),
    "{0}/addons/supported-versions$",
    "{0}/addons/configuration-schemas$",
    *("{0}/cluster-versions$", f"{CLUSTER}/insights$", f"{CLUSTER}/encryption-config/associate$"),
    *(f"{CLUSTER}/updates$", f"{CLUSTER}/updates/(?P<updateId>[^/]+)$"),
    f"{CLUSTER}/node-groups/(?P<nodegroupName>[^/]+)/update-version$",
    "{0}/access-policies$",
    *(f"{CLUSTER}/access-entries$", f"{ENTRY}/access-policies$", f"{ENTRY}/access-policies/(?P<policyArn>.+)$", f"{ENTRY}$"),
    *(f"{ASSOCIATION}$", f"{ASSOCIATION}/(?P<associationId>[^/]+)$"),
)
url_paths = dict.fromkeys((*urls.url_paths, *OURS), Responses.dispatch)
