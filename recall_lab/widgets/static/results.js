// The list of hits: arrow keys, Home, End and Page keys move, Enter or a click opens, "/" goes back to the query.

const PAGE = 5;

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-results");
  const status = element("div", "rl-status", "", { role: "status", "aria-live": "polite" });
  const problem = element("div");
  const list = element("ul", "rl-hits", "", { role: "listbox", "aria-label": "Hits", tabindex: "0" });
  el.append(status, problem, list);
  const optionId = (index) => `rl-${model.get("name")}-${index}`;

  function drawHits() {
    list.replaceChildren();
    model.get("hits").forEach((hit, index) => {
      const item = element("li", "rl-hit", "", { role: "option", id: optionId(index) });
      const head = element("div", "rl-hit-head");
      head.append(element("span", `rl-tier rl-tier-${hit.tier}`, hit.tier));
      if (hit.title) head.append(element("bdi", "rl-title", hit.title));
      const passage = element("div", hit.code ? "rl-passage rl-as-code" : "rl-passage", "", { dir: "auto" });
      appendPieces(passage, hit.pieces);
      const why = element("ul", "rl-why", "", { "aria-label": "Why it is here" });
      for (const word of hit.why) why.append(element("li", "", word));
      item.append(head, element("div", "rl-place", hit.place), passage, why);
      item.addEventListener("click", () => open(index));
      list.append(item);
    });
    drawSelection();
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

  function select(index) {
    const last = model.get("hits").length - 1;
    if (last < 0) return;
    model.set("selected", Math.max(0, Math.min(last, index)));
    model.save_changes();
  }

  function open(index) {
    select(index);
    model.send({ type: "open", index: model.get("selected") });
  }

  const panel = () => el.closest(".recall-lab-panel");
  const queryBox = () => panel()?.querySelector(".recall-lab-query input");

  list.addEventListener("focus", () => {
    if (model.get("selected") < 0) select(0);
    else drawSelection();
  });
  list.addEventListener("keydown", (event) => {
    const at = model.get("selected");
    const moves = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: Infinity,
      PageDown: at + PAGE,
      PageUp: at - PAGE,
    };
    if (event.key === "ArrowUp" && at <= 0 && queryBox()) queryBox().focus();
    else if (event.key in moves) select(moves[event.key]);
    else if (event.key === "Enter" || event.key === " ") open(at);
    else if (event.key === "/" && queryBox()) queryBox().focus();
    else return;
    event.preventDefault();
    event.stopPropagation(); // or the notebook would move to another cell
  });
  const fromQuery = (event) => {
    if (event.key !== "ArrowDown" || event.target !== queryBox() || !list.children.length) return;
    event.preventDefault();
    event.stopPropagation();
    list.focus();
  };
  // The query box is a sibling in the panel, which exists once this view has been attached.
  let attachedTo = null;
  const callOff = whenAttached(el, (found) => {
    attachedTo = found;
    attachedTo.addEventListener("keydown", fromQuery, true);
  });

  const stops = [
    redrawOn(model, ["hits"], drawHits),
    redrawOn(model, ["selected"], drawSelection),
    redrawOn(model, ["status", "error"], drawStatus),
  ];
  return () => {
    callOff();
    attachedTo?.removeEventListener("keydown", fromQuery, true);
    stops.forEach((stop) => stop());
  };
}

export default { render };
