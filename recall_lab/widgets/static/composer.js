// The quotations of a brief in their order: buttons or Alt and the arrow keys move one; notes and sections are typed.

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-composer");
  const problem = element("div");
  const status = element("div", "rl-status", "", { role: "status", "aria-live": "polite" });
  const list = element("ol", "rl-items", "", { "aria-label": "Quotations of the brief, in order" });
  const preview = element("section", "rl-preview", "", { "aria-label": "Preview of the brief", tabindex: "0" });
  el.append(problem, status, list, preview);
  let follow = null; // what should have the focus after the next drawing: [receipt, part]

  function move(item, to) {
    follow = [item.receipt, "move"];
    model.send({ type: "move", receipt: item.receipt, to });
  }

  function field(item, name, label, tag) {
    const wrapped = element("label", "rl-field");
    wrapped.append(element("span", "rl-label", label));
    const input = element(tag, "rl-input", "", tag === "input" ? { type: "text" } : { rows: "2" });
    input.value = item[name];
    input.dataset.part = name;
    input.addEventListener("change", () => model.send({ type: name, receipt: item.receipt, value: input.value }));
    wrapped.append(input);
    return wrapped;
  }

  function drawItem(item, at, last) {
    const row = element("li", "rl-item", "", { "aria-label": `Quotation ${at + 1} of ${last + 1}` });
    row.dataset.receipt = item.receipt;
    const head = element("div", "rl-step-head");
    head.append(element("span", "rl-role", `${at + 1}`), element("span", "rl-place", item.place));
    const bar = element("div", "rl-pages");
    const buttons = [
      ["▲", "Move up", () => move(item, at - 1), at > 0],
      ["▼", "Move down", () => move(item, at + 1), at < last],
      ["✕", "Take out", () => model.send({ type: "remove", receipt: item.receipt }), true],
    ];
    for (const [sign, label, act, can] of buttons) {
      const name = `${label}: quotation ${at + 1}`;
      const made = element("button", "rl-button rl-small", sign, { type: "button", "aria-label": name, title: label });
      made.disabled = !can;
      made.dataset.part = label;
      made.addEventListener("click", act);
      bar.append(made);
    }
    head.append(bar);
    const quote = element("blockquote", item.code ? "rl-quote rl-as-code" : "rl-quote", item.quote, { dir: "auto" });
    const fields = element("div", "rl-fields");
    fields.append(field(item, "section", "Section", "input"), field(item, "note", "Note", "textarea"));
    row.append(head, quote, element("div", "rl-place", item.reason), fields, element("code", "rl-code", item.receipt));
    row.tabIndex = 0;
    row.addEventListener("keydown", (event) => {
      if (event.altKey && event.key === "ArrowUp" && at > 0) move(item, at - 1);
      else if (event.altKey && event.key === "ArrowDown" && at < last) move(item, at + 1);
      else if (event.key === "Delete" && event.target === row) model.send({ type: "remove", receipt: item.receipt });
      else if (!event.altKey && event.target === row && ["ArrowUp", "ArrowDown"].includes(event.key)) {
        (event.key === "ArrowUp" ? row.previousElementSibling : row.nextElementSibling)?.focus();
      } else {
        // Keys typed into a field must not reach the notebook's own shortcuts.
        if (event.key !== "Escape" && event.key !== "Tab") event.stopPropagation();
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    });
    return row;
  }

  function drawItems() {
    const items = model.get("items");
    const active = list.contains(document.activeElement) ? document.activeElement : null;
    const kept = follow || (active && [active.closest(".rl-item").dataset.receipt, active.dataset.part]);
    follow = null;
    list.replaceChildren(...items.map((item, at) => drawItem(item, at, items.length - 1)));
    list.hidden = !items.length;
    if (!kept) return;
    const row = [...list.children].find((one) => one.dataset.receipt === kept[0]);
    (row?.querySelector(`[data-part="${kept[1]}"]:not([disabled])`) || row)?.focus({ preventScroll: true });
  }

  function drawPreview() {
    preview.replaceChildren();
    preview.hidden = !model.get("preview").length;
    for (const [kind, text] of model.get("preview")) {
      const tags = { title: "h1", heading: "h2", passage: "h3", quote: "blockquote", receipt: "code", text: "p" };
      const look = { quote: "rl-quote", receipt: "rl-code" }[kind] || "";
      preview.append(element(tags[kind] || "p", look, text, { dir: "auto" }));
    }
  }

  function drawStatus() {
    status.textContent = model.get("status");
    problem.replaceChildren(...(model.get("error") ? [errorLine(model.get("error"))] : []));
  }

  const callOff = whenAttached(el);
  const stops = [
    redrawOn(model, ["items"], drawItems),
    redrawOn(model, ["preview"], drawPreview),
    redrawOn(model, ["status", "error"], drawStatus),
  ];
  return () => {
    callOff();
    stops.forEach((stop) => stop());
  };
}

export default { render };
