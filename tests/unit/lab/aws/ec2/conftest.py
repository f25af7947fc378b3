# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An account for Client VPN."""

from __future__ import annotations

import pathlib
import sys
import typing as t

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from client_vpn_account import Vpn

QUICK = {"client_vpn_seconds": 0.05, "client_vpn_interface_seconds": 0.05, "client_vpn_linger_seconds": 0.1}


@pytest.fixture(scope="module")
def whole_vpn(account: t.Any) -> t.Any:
    """An account for Client VPN."""
    return Vpn(account)


@pytest.fixture
def vpn(whole_vpn: t.Any) -> t.Iterator[t.Any]:
    """The same account with quick changes, without resources of an earlier test."""
    whole_vpn.control.settings(**QUICK)
    yield whole_vpn
    whole_vpn.control.clear_faults()
    whole_vpn.control.settings(**QUICK, page_size=1000)
    whole_vpn.clear()
    problems = whole_vpn.control.problems()
    whole_vpn.control.reset_calls()
    assert problems == []
