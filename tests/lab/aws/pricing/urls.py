# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes of moto's server for this backend."""

from __future__ import annotations

from .responses import Responses

url_bases = [r"https?://pricing\.(.+?)\.amazonaws\.com"]
"""moto takes the name of the service from the signature; the host of the API is ``api.pricing``."""
url_paths = {"{0}/$": Responses.dispatch}
