// A table whose headers sort it. Cells come as text to show and keys to sort by.

const LONG = 40; // characters; longer cells may break anywhere

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-table");
  const problem = element("div");
  const table = element("table");
  el.append(problem, table);
  let order = { column: -1, falling: true };

  function compare(left, right) {
    if (left === null || left === undefined) return right === null || right === undefined ? 0 : -1;
    if (right === null || right === undefined) return 1;
    return typeof left === "number" && typeof right === "number" ? left - right : String(left).localeCompare(String(right));
  }

  function sorted() {
    const rows = model.get("rows").map((cells, index) => ({ cells, keys: model.get("sort_keys")[index] || cells }));
    if (order.column < 0) return rows;
    rows.sort((a, b) => compare(a.keys[order.column], b.keys[order.column]) * (order.falling ? -1 : 1));
    return rows;
  }

  function draw() {
    problem.replaceChildren(...(model.get("error") ? [errorLine(model.get("error"))] : []));
    table.replaceChildren();
    if (model.get("caption")) table.append(element("caption", "", model.get("caption")));
    const head = element("tr");
    model.get("columns").forEach((column, index) => {
      const sort = order.column === index ? (order.falling ? "descending" : "ascending") : "none";
      const cell = element("th", column.numeric ? "rl-number" : "", "", { scope: "col", "aria-sort": sort });
      const button = element("button", "rl-sort", column.name, { type: "button" });
      button.addEventListener("click", () => {
        order = { column: index, falling: order.column === index ? !order.falling : column.numeric };
        draw();
        table.querySelectorAll(".rl-sort")[index]?.focus();
      });
      cell.append(button);
      head.append(cell);
    });
    const top = element("thead");
    top.append(head);
    const body = element("tbody");
    for (const row of sorted()) {
      const line = element("tr");
      row.cells.forEach((text, index) => {
        const kind = model.get("columns")[index]?.numeric ? "rl-number" : text.length > LONG ? "rl-long" : "";
        line.append(element("td", kind, text, { dir: "auto" }));
      });
      body.append(line);
    }
    table.append(top, body);
  }

  return redrawOn(model, ["columns", "rows", "sort_keys", "caption", "error"], draw);
}

export default { render };
