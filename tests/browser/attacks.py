# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile texts that a page without escaping would run as scripts."""

from __future__ import annotations

ATTACKS = (
    "<script>document.title='x'</script>",
    "\"><img src=x onerror=\"document.title='x'\">",
    "' autofocus onfocus='document.title=1' x='",
    "</style></title></script><script>document.title='x'</script>",
    "<svg onload=document.title='x'>",
    "javascript:document.title='x'",
    "<iframe srcdoc=\"<script>parent.document.title='x'</script>\"></iframe>",
    "<meta http-equiv=refresh content='0;url=data:text/html,x'>",
    "{{constructor.constructor('document.title=1')()}}",
)
