# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where moto's server finds the handlers of this backend."""

from __future__ import annotations

from moto.eks import urls

from .responses import Responses

url_bases = urls.url_bases
url_paths = {
    **dict.fromkeys(urls.url_paths, Responses.dispatch),
    "{0}/clusters/(?P<name>[^/]+)/addons$": Responses.dispatch,
    "{0}/clusters/(?P<name>[^/]+)/addons/(?P<addonName>[^/]+)$": Responses.dispatch,
    "{0}/clusters/(?P<name>[^/]+)/access-entries$": Responses.dispatch,
    "{0}/clusters/(?P<name>[^/]+)/access-entries/(?P<principalArn>.+)/access-policies$": Responses.dispatch,
    "{0}/clusters/(?P<name>[^/]+)/access-entries/(?P<principalArn>.+)$": Responses.dispatch,
}
