// A few numbers at a glance, a problem if there is one, and the line of code that gives them again.

function render({ model, el }) {
  el.classList.add("recall-lab");
  const problem = element("div");
  const figures = element("div", "rl-figures", "", { role: "group", "aria-label": "At a glance" });
  const status = element("div", "rl-status", "", { role: "status", "aria-live": "polite" });
  const code = element("div");
  el.append(problem, figures, status, code);

  function draw() {
    problem.replaceChildren(...(model.get("error") ? [errorLine(model.get("error"))] : []));
    figures.replaceChildren();
    for (const [value, name] of model.get("figures")) {
      const one = element("div", "rl-figure");
      one.append(element("span", "rl-figure-value", value), element("span", "rl-figure-name", name));
      figures.append(one);
    }
    status.textContent = model.get("status");
    status.hidden = !model.get("status");
    code.replaceChildren(...(model.get("code") ? [copyLine("code", model.get("code"))] : []));
  }

  return redrawOn(model, ["figures", "status", "code", "error"], draw);
}

export default { render };
