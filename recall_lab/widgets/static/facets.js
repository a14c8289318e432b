// Bars that filter: one group for each thing that can be narrowed. A click (or Enter) on a bar keeps only that; again, all.

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-facets");
  const problem = element("div");
  const groups = element("div", "rl-facet-groups");
  el.append(problem, groups);

  function pick(facet, index, event) {
    model.send({ type: "pick", facet, index, more: event.shiftKey });
  }

  function bar(facet, item, index) {
    const button = element("button", "rl-facet-item", "", {
      type: "button",
      title: item.tip,
      "aria-label": `${facet.title} ${item.label}: ${item.value}`,
      "aria-pressed": String(item.on),
    });
    button.classList.toggle("rl-off", facet.chosen && !item.on);
    const fill = element("span", "rl-facet-fill");
    const size = `${Math.max(0, Math.min(1, item.share)) * 100}%`;
    if (facet.kind === "time") fill.style.height = size;
    else fill.style.width = size;
    button.append(fill); // behind the words of a bar that lies, so that names have all the room there is
    if (facet.kind !== "time") {
      button.append(element("bdi", "rl-facet-name", item.label), element("span", "rl-facet-value", item.value));
    }
    button.addEventListener("click", (event) => pick(facet.name, index, event));
    return button;
  }

  function move(event, list) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const bars = [...list.children];
    bars[bars.indexOf(document.activeElement) + step]?.focus();
    event.preventDefault();
    event.stopPropagation(); // or the notebook would move to another cell
  }

  function draw() {
    const focused = document.activeElement?.dataset?.facet;
    problem.replaceChildren(...(model.get("error") ? [errorLine(model.get("error"))] : []));
    groups.replaceChildren();
    for (const facet of model.get("facets")) {
      const group = element("div", `rl-facet rl-facet-${facet.kind}`, "", { role: "group", "aria-label": facet.title });
      const head = element("div", "rl-facet-head");
      head.append(element("span", "rl-facet-title", facet.title), element("span", "rl-facet-unit", facet.unit));
      if (facet.chosen) {
        const clear = element("button", "rl-button rl-small", "All", { type: "button", "aria-label": `All: ${facet.title}` });
        clear.addEventListener("click", () => model.send({ type: "clear", facet: facet.name }));
        head.append(clear);
      }
      const list = element("div", "rl-facet-bars");
      facet.items.forEach((item, index) => {
        const one = bar(facet, item, index);
        one.dataset.facet = `${facet.name} ${index}`;
        list.append(one);
      });
      list.addEventListener("keydown", (event) => move(event, list));
      group.append(head, list);
      if (facet.kind === "time" && facet.items.length) {
        const ends = element("div", "rl-facet-ends");
        const labels = new Set([facet.items[0].label, facet.items.at(-1).label]); // one bar has one name
        ends.append(...[...labels].map((label) => element("span", "", label)));
        group.append(ends);
      }
      if (!facet.items.length) group.append(element("div", "rl-facet-unit", "nothing in this selection"));
      groups.append(group);
    }
    if (focused) groups.querySelector(`[data-facet="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  return redrawOn(model, ["facets", "error"], draw);
}

export default { render };
