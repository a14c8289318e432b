// Passages to grade, without a word of who found them: arrow keys or j and k move, 0 to 3 grade and go on.

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-judge");
  const { list, item, passage, drawSelection, select, follow } = passageList(model, el, "passages", "Passages to grade");

  function drawPassages() {
    const focused = el.contains(document.activeElement);
    list.replaceChildren();
    const grades = model.get("grades");
    model.get("passages").forEach((one, index) => {
      const shown = item(index);
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
      shown.append(element("div", "rl-place", one.place), passage(one), bar);
      if (one.brought) shown.append(element("div", "rl-quiet", one.brought));
      shown.addEventListener("click", () => select(index));
      list.append(shown);
    });
    drawSelection();
    if (focused) list.focus({ preventScroll: true });
  }

  function give(index, grade) {
    if (index < 0 || index >= model.get("passages").length) return;
    model.send({ type: "grade", index, grade });
    select(index + 1);
  }

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
  const stops = [redrawOn(model, ["passages", "grades", "scale"], drawPassages), follow()];
  return () => {
    callOff();
    stops.forEach((stop) => stop());
  };
}

export default { render };
