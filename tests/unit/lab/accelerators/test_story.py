# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from lab.accelerators.story import healthy, in_boot, rebooted


def test_log_lines_keep_their_age_in_another_boot() -> None:
    story = healthy("ml.p5.4xlarge")
    story.say(story.uptime - 60, "a minute ago")
    other = in_boot(story, "another", 500.5)
    assert (other.boot_id, other.uptime, other.log[0].at, story.log[0].at) == ("another", 500, 440.5, story.uptime - 60)


def test_a_reboot_clears_the_log_and_repairs_nothing() -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[3].on_bus = False
    story.say(80000, "before")
    after = rebooted(story)
    assert after.log == [] and after.boot_id != story.boot_id and not after.gpus[3].on_bus and len(story.log) == 1
