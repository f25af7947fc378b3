# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a file of people, as playbooks see it."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.mlfleet.hyperpod.plugins.filter.people import FilterModule


@pytest.mark.parametrize(("name", "more"), [("declared_people", [])])
def test_a_file_that_can_not_be_read_is_the_error_of_the_filter(name, more):
    with pytest.raises(AnsibleFilterError, match=r"hyperpod_users_files: /nowhere/users\.txt can't be read: No such file"):
        FilterModule().filters()[name]([{"name": "alice", "uid": 20001}], ["/nowhere/users.txt"], *more)
