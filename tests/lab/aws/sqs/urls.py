# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes of moto for SQS."""

from .responses import Responses

url_bases = [r"https?://(?:.*\.)?(?:queue|sqs)\.(?:.*\.)?amazonaws\.com"]
url_paths = {"{0}/$": Responses.dispatch, r"{0}/(?P<account_id>\d+)/(?P<queue_name>[a-zA-Z0-9\-_\.]+)": Responses.dispatch}
