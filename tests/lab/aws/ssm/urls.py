# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes of moto for Systems Manager."""

from .responses import SessionResponse

url_bases = [r"https?://ssm\.(.+)\.amazonaws\.com", r"https?://ssm\.(.+)\.amazonaws\.com\.cn"]
url_paths = {"{0}/$": SessionResponse.dispatch}
