# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The script of pages with a list and a form that filters it. It hides and shows existing elements, and creates none from text.

Each select of the form is compared with the data attribute of its name. A link with such attributes sets the form.
"""

from __future__ import annotations

SCRIPT = """
"use strict";
(() => {
  const form = document.getElementById("filter");
  const rows = Array.from(document.getElementById("list").children);
  const fields = Array.from(form.querySelectorAll("select"));
  const words = new Map();

  function matches(row, text) {
    for (const field of fields) {
      if (field.value && field.value !== "=" + row.dataset[field.name]) return false;
    }
    if (!text) return true;
    if (!words.has(row)) words.set(row, row.textContent.toLowerCase());
    return text.split(/\\s+/).every((word) => words.get(row).includes(word));
  }

  function filter() {
    const text = form.elements.text.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !matches(row, text);
      if (!row.hidden) shown += 1;
    }
    form.elements.shown.value = shown + " of " + rows.length + " shown";
  }

  function follow() {
    const found = /^#[a-z]\\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!found) return;
    if (found.hidden) form.reset();
    found.open = true;
    found.scrollIntoView();
  }

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => { for (const row of rows) row.hidden = false; setTimeout(filter); });
  window.addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    const chosen = fields.filter((field) => field.name in link.dataset);
    if (chosen.length) {
      form.reset();
      for (const field of chosen) field.value = link.dataset[field.name] && "=" + link.dataset[field.name];
      filter();
    } else if (link.getAttribute("href") === location.hash) {
      follow();
    }
  });

  filter();
  follow();
})();
"""
