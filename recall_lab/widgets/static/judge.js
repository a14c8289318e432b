// Passages to grade, without a word of who found them: arrow keys or j and k move, 0 to 3 grade and go on.

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-judge");
  const status = element("div", "rl-status", "", { role: "status", "aria-live": "polite" });
  const problem = element("div");
  const list = element("ul", "rl-hits", "", { role: "listbox", "aria-label": "Passages to grade", tabindex: "0" });
  el.append(status, problem, list);
  const optionId = (index) => `rl-${model.get("name")}-${index}`;

  function drawPassages() {
    const focused = el.contains(document.activeElement);
    list.replaceChildren();
    const grades = model.get("grades");
    model.get("passages").forEach((one, index) => {
      const item = element("li", "rl-hit", "", { role: "option", id: optionId(index) });
      const passage = element("div", one.code ? "rl-passage rl-as-code" : "rl-passage", "", { dir: "auto" });
      appendPieces(passage, one.pieces);
      const bar = element("div", "rl-grades");
      model.get("scale").forEach((meaning, grade) => {
        const given = grades[index] === grade;
        const button = element("button", given ? "rl-button rl-small rl-given" : "rl-button rl-small", `${grade} ${meaning}`, {
          type: "button",
          tabindex: "-1",
          "aria-pressed": String(given),
        });
        button.addEventListener("click", (event) => {
          event.stopPropagation();
          give(index, grade);
        });
        bar.append(button);
      });
      item.append(element("div", "rl-place", one.place), passage, bar);
      if (one.brought) item.append(element("div", "rl-quiet", one.brought));
      item.addEventListener("click", () => select(index));
      list.append(item);
    });
    drawSelection();
    if (focused) list.focus({ preventScroll: true });
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
    const last = model.get("passages").length - 1;
    if (last < 0) return;
    model.set("selected", Math.max(0, Math.min(last, index)));
    model.save_changes();
  }

  function give(index, grade) {
    if (index < 0 || index >= model.get("passages").length) return;
    model.send({ type: "grade", index, grade });
    select(index + 1);
  }

  list.addEventListener("focus", () => {
    if (model.get("selected") < 0) select(0);
    else drawSelection();
  });
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = model.get("selected");
    const moves = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: Infinity };
    const grade = "0123456789".indexOf(event.key);
    if (event.key in moves) select(moves[event.key]);
    else if (event.key.length === 1 && grade >= 0 && grade < model.get("scale").length) give(at, grade);
    else return;
    event.preventDefault();
    event.stopPropagation(); // or the notebook would take the key for a command
  });

  const callOff = whenAttached(el);
  const stops = [
    redrawOn(model, ["passages", "grades", "scale"], drawPassages),
    redrawOn(model, ["selected"], drawSelection),
    redrawOn(model, ["status", "error"], drawStatus),
  ];
  return () => {
    callOff();
    stops.forEach((stop) => stop());
  };
}

export default { render };
