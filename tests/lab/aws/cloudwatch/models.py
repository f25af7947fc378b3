# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""moto's backend with the metrics of queues in GetMetricData, computed when they are read."""

from __future__ import annotations

import datetime
import time
import typing as t

from moto.cloudwatch.models import CloudWatchBackend
from moto.core.utils import utcfromtimestamp

from . import queues

Query = t.Mapping[str, t.Any]


class Metrics(CloudWatchBackend):
    def get_metric_data(
        self, queries: list[dict[str, t.Any]], start_time: datetime.datetime, end_time: datetime.datetime, scan_by: str = "TimestampAscending"
    ) -> list[dict[str, t.Any]]:
        found = super().get_metric_data(queries, start_time, end_time, scan_by)
        by_id = {query["Id"]: query for query in queries}
        return [self._with_queue(by_id[each["id"]], each, start_time, end_time) for each in found]

    def _with_queue(self, query: Query, result: dict[str, t.Any], start: datetime.datetime, end: datetime.datetime) -> dict[str, t.Any]:
        """The result with the data of the current period and the one before, the newer one first, which AWS returns by default."""
        statistic = query.get("MetricStat", {})
        value = queues.value(self.account_id, self.region_name, statistic.get("Metric", {}))
        if value is None:
            return result
        now, period = int(time.time()), statistic["Period"]
        latest = utcfromtimestamp(now - now % period)
        moments = [each for each in (latest, latest - datetime.timedelta(seconds=period)) if start <= each < end]
        return {**result, "timestamps": moments, "values": [value] * len(moments)}
