# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's script. It hides and shows existing elements, and creates none from text."""

from __future__ import annotations

SCRIPT = """
"use strict";
(() => {
  const form = document.getElementById("filter");
  const nodes = Array.from(document.getElementById("list").children);
  const fields = ["verdict", "cluster", "group"];
  const words = new Map();

  function matches(node, text) {
    for (const name of fields) {
      const wanted = form.elements[name].value;
      if (wanted && wanted !== "=" + node.dataset[name]) return false;
    }
    if (!text) return true;
    if (!words.has(node)) words.set(node, node.textContent.toLowerCase());
    return text.split(/\\s+/).every((word) => words.get(node).includes(word));
  }

  function filter() {
    const text = form.elements.text.value.trim().toLowerCase();
    let shown = 0;
    for (const node of nodes) {
      node.hidden = !matches(node, text);
      if (!node.hidden) shown += 1;
    }
    form.elements.shown.value = shown + " of " + nodes.length + " shown";
  }

  function follow() {
    const found = /^#[nf]\\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!found) return;
    if (found.hidden) form.reset();
    found.open = true;
    found.scrollIntoView();
  }

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => { for (const node of nodes) node.hidden = false; setTimeout(filter); });
  window.addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    if (link.dataset.verdict) {
      form.reset();
      form.elements.verdict.value = "=" + link.dataset.verdict;
      form.elements.cluster.value = link.dataset.cluster && "=" + link.dataset.cluster;
      filter();
    } else if (link.getAttribute("href") === location.hash) {
      follow();
    }
  });

  filter();
  follow();
})();
"""
