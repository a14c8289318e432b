// One block in its place. Selecting text sends its offsets in Unicode code points of the block; the kernel cites it.

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-reader");
  const problem = element("div");
  const place = element("div", "rl-place");
  const before = element("div");
  const text = element("div", "rl-block", "", {
    dir: "auto",
    tabindex: "0",
    role: "document",
    "aria-label": "Block; select words to cite them",
  });
  const after = element("div");
  const pages = element("div", "rl-pages");
  const found = element("div", "rl-found", "", { role: "status", "aria-live": "polite" });
  el.append(problem, place, before, text, pages, after, found);

  function drawNeighbors(into, neighbors, fromTheEnd) {
    into.replaceChildren();
    for (const neighbor of neighbors) {
      const one = element("div", "rl-neighbor", "", { dir: "auto" });
      one.append(element("span", `rl-role rl-role-${neighbor.role}`, neighbor.role), document.createTextNode(neighbor.text));
      into.append(one);
      if (fromTheEnd) one.scrollTop = one.scrollHeight;
    }
  }

  function turnTo(name, label, direction) {
    const button = element("button", "rl-button rl-small", label, { type: "button" });
    button.addEventListener("click", () => model.send({ type: "page", direction }));
    button.dataset.page = name;
    return button;
  }

  function draw() {
    const shown = model.get("shown");
    problem.replaceChildren(...(model.get("error") ? [errorLine(model.get("error"))] : []));
    el.classList.toggle("rl-empty", !shown.place);
    place.replaceChildren();
    if (shown.title) place.append(element("bdi", "rl-title", shown.title), document.createTextNode(" "));
    place.append(document.createTextNode(shown.place || model.get("invitation")));
    if (shown.session) {
      const open = element("button", "rl-button rl-small rl-open", "Open in reader", { type: "button" });
      open.addEventListener("click", () => model.send({ type: "session" }));
      place.append(document.createTextNode(" "), open);
    }
    drawNeighbors(before, shown.before || [], true);
    drawNeighbors(after, shown.after || [], false);
    text.replaceChildren();
    text.className = shown.code ? "rl-block rl-as-code" : "rl-block";
    appendPieces(text, shown.pieces || []);
    text.hidden = !shown.place;
    place.classList.toggle("rl-invitation", !shown.place);
    pages.replaceChildren();
    if (shown.earlier) pages.append(turnTo("earlier", "Earlier", -1));
    if (shown.later) pages.append(turnTo("later", "Later", 1));
    // Scroll inside the reader only; scrollIntoView would move the notebook as well.
    const first = text.querySelector(".rl-here") || text.querySelector(".rl-match") || text;
    el.scrollTop = Math.max(0, first.offsetTop - el.clientHeight / 3);
  }

  function drawFound() {
    const cited = model.get("cited");
    found.replaceChildren();
    if (cited.message) found.append(element("div", `rl-verdict rl-verdict-${cited.verdict || "none"}`, cited.message));
    if (cited.receipt) found.append(copyLine("receipt", cited.receipt));
    if (cited.code) found.append(copyLine("code", cited.code));
    if (cited.receipt) {
      const add = element("button", "rl-button rl-small rl-add", cited.added || "Add to the brief", { type: "button" });
      add.addEventListener("click", () => model.send({ type: "add" }));
      found.append(add);
    }
  }

  /** Code points of the block before a point in its text; UTF-16 pairs count once. */
  function offsetOf(node, offset) {
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(node, offset);
    return [...range.toString()].length;
  }

  function selectionMade() {
    const selection = window.getSelection();
    if (!selection || selection.isCollapsed || selection.rangeCount === 0) return;
    const range = selection.getRangeAt(0);
    if (!text.contains(range.startContainer) || !text.contains(range.endContainer)) return;
    const from = model.get("shown").start || 0;
    const start = from + offsetOf(range.startContainer, range.startOffset);
    const end = from + offsetOf(range.endContainer, range.endOffset);
    if (end > start) model.send({ type: "select", start, end });
  }

  text.addEventListener("mouseup", () => setTimeout(selectionMade, 0));
  text.addEventListener("keyup", (event) => {
    if (event.shiftKey || event.key === "Shift") selectionMade();
  });
  // Keys typed while reading must not reach the notebook's own shortcuts.
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" && event.key !== "Tab") event.stopPropagation();
  });

  const callOff = whenAttached(el);
  const stops = [redrawOn(model, ["shown", "error", "invitation"], draw), redrawOn(model, ["cited"], drawFound)];
  return () => {
    callOff();
    stops.forEach((stop) => stop());
  };
}

export default { render };
