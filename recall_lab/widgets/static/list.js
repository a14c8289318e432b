// A list of passages with one selected, a status line and a line for what went wrong above it.

/** Make the list of what stands in a trait of the model; the caller draws the items. */
function passageList(model, el, trait, label) {
  const status = element("div", "rl-status", "", { role: "status", "aria-live": "polite" });
  const problem = element("div");
  const list = element("ul", "rl-hits", "", { role: "listbox", "aria-label": label, tabindex: "0" });
  el.append(status, problem, list);

  /** An item of the list, to be filled. */
  function item(index) {
    return element("li", "rl-hit", "", { role: "option", id: `rl-${model.get("name")}-${index}` });
  }

  /** A passage with its marks. */
  function passage(one) {
    const made = element("div", one.code ? "rl-passage rl-as-code" : "rl-passage", "", { dir: "auto" });
    appendPieces(made, one.pieces);
    return made;
  }

  function drawSelection() {
    const selected = model.get("selected");
    [...list.children].forEach((item, index) => {
      item.setAttribute("aria-selected", String(index === selected));
      item.classList.toggle("rl-selected", index === selected);
    });
    const chosen = list.children[selected];
    if (chosen) {
      list.setAttribute("aria-activedescendant", chosen.id);
      if (list.contains(document.activeElement)) chosen.scrollIntoView({ block: "nearest" });
    } else list.removeAttribute("aria-activedescendant");
  }

  function drawStatus() {
    status.textContent = model.get("status");
    problem.replaceChildren(...(model.get("error") ? [errorLine(model.get("error"))] : []));
  }

  /** Select an item; beyond an end, that end's. */
  function select(index) {
    const last = model.get(trait).length - 1;
    if (last < 0) return;
    model.set("selected", Math.max(0, Math.min(last, index)));
    model.save_changes();
  }

  list.addEventListener("focus", () => {
    if (model.get("selected") < 0) select(0);
    else drawSelection();
  });

  /** Follow the model; returns what ends that. */
  function follow() {
    const stops = [redrawOn(model, ["selected"], drawSelection), redrawOn(model, ["status", "error"], drawStatus)];
    return () => stops.forEach((stop) => stop());
  }

  return { list, item, passage, drawSelection, select, follow };
}
