# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Event-Driven Ansible as it is shipped: ansible-rulebook with Java, from the machine's package indexes into the cache."""
