// The list of hits: arrow keys, Home, End and Page keys move, Enter or a click opens, "/" goes back to the query.

const PAGE = 5;

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-results");
  const { list, item, passage, drawSelection, select, follow } = passageList(model, el, "hits", "Hits");

  function drawHits() {
    list.replaceChildren();
    model.get("hits").forEach((hit, index) => {
      const shown = item(index);
      const head = element("div", "rl-hit-head");
      head.append(element("span", `rl-tier rl-tier-${hit.tier}`, hit.tier));
      if (hit.title) head.append(element("bdi", "rl-title", hit.title));
      const why = element("ul", "rl-why", "", { "aria-label": "Why it is here" });
      for (const word of hit.why) why.append(element("li", "", word));
      shown.append(head, element("div", "rl-place", hit.place), passage(hit), why);
      shown.addEventListener("click", () => open(index));
      list.append(shown);
    });
    drawSelection();
  }

  function open(index) {
    select(index);
    model.send({ type: "open", index: model.get("selected") });
  }

  const panel = () => el.closest(".recall-lab-panel");
  const queryBox = () => panel()?.querySelector(".recall-lab-query input");

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

  const stops = [redrawOn(model, ["hits"], drawHits), follow()];
  return () => {
    callOff();
    attachedTo?.removeEventListener("keydown", fromQuery, true);
    stops.forEach((stop) => stop());
  };
}

export default { render };
