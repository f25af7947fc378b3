# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes of moto for SageMaker."""

from .responses import HyperPodResponse

url_bases = [r"https?://api\.sagemaker\.(.+)\.amazonaws.com"]
url_paths = {"{0}/$": HyperPodResponse.dispatch}
