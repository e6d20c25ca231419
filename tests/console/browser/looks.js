// Pairs of texts that lie over each other, as a reader sees the page; texts of a map are left out.
() => {
  const seen = [];
  const clip = (box, element) => {
    let { left, top, right, bottom } = box;
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflow === "visible" || at instanceof SVGElement) continue;
      const edge = at.getBoundingClientRect();
      left = Math.max(left, edge.left), right = Math.min(right, edge.right);
      top = Math.max(top, edge.top), bottom = Math.min(bottom, edge.bottom);
    }
    return { left, top, right, bottom };
  };
  const note = (box, element, text) => {
    const { left, top, right, bottom } = clip(box, element);
    if (right - left < 3 || bottom - top < 3 || right <= 0) return;
    seen.push({ left: left + 1.5, top: top + 2.5, right: right - 1.5, bottom: bottom - 2.5, element, text });
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("#map, script, style, title, noscript, option")) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) note(box, element, node.data.trim());
  }
  for (const element of document.querySelectorAll("input, select, textarea")) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.type !== "hidden") note(element.getBoundingClientRect(), element, `(${element.name || element.id})`);
  }
  seen.sort((a, b) => a.top - b.top);
  const found = [];
  seen.forEach((one, n) => {
    for (let m = n + 1; m < seen.length && seen[m].top < one.bottom; m++) {
      const other = seen[m];
      if (other.text === one.text && other.element === one.element) continue;
      if (other.left < one.right && one.left < other.right && other.bottom > one.top) {
        found.push(`${one.text.slice(0, 40)} | ${other.text.slice(0, 40)}`);
      }
    }
  });
  return found;
}
