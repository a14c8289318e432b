// A session in pages: its turn index, its blocks, and what is said of the words that are selected in one of them.
// Selections are sent as offsets in Unicode code points of the block; the kernel checks and cites them.

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-session");
  const problem = element("div");
  const place = element("div", "rl-place");
  const loose = element("div");
  const body = element("div", "rl-session-body");
  const turns = element("nav", "rl-turns", "", { "aria-label": "Turns of the session" });
  const main = element("div", "rl-session-main");
  const blocks = element("div", "rl-blocks", "", { role: "group", "aria-label": "Blocks of the session" });
  const pages = element("div", "rl-pages");
  const found = element("section", "rl-found", "", { "aria-label": "Citation" });
  const verdict = element("div", "rl-verdict", "", { role: "status", "aria-live": "polite" });
  const details = element("div");
  found.append(verdict, details);
  main.append(blocks, pages);
  body.append(turns, main);
  el.append(problem, place, loose, body, found);
  let revealed = 0;
  let laidOut = 0;

  function button(label, message, attributes = {}) {
    const made = element("button", "rl-button rl-small", label, { type: "button", ...attributes });
    made.addEventListener("click", () => model.send(message));
    return made;
  }

  function agentCard(agent) {
    const card = element("div", "rl-agent");
    card.append(element("bdi", "", agent.label), button("Read it", { type: "session", session: agent.session }));
    return card;
  }

  // ---- the frame ----

  function drawFrame() {
    const shown = model.get("shown");
    problem.replaceChildren(...(model.get("error") ? [errorLine(model.get("error"))] : []));
    place.replaceChildren();
    if (shown.title) place.append(element("bdi", "rl-title", shown.title), document.createTextNode(" "));
    place.append(document.createTextNode(shown.place || model.get("invitation")));
    if (shown.parent) place.append(document.createTextNode(" "), button("To the calling session", { type: "parent" }));
    place.classList.toggle("rl-invitation", !shown.place);
    loose.replaceChildren(...(shown.agents || []).map(agentCard));
    body.hidden = !shown.place;
    pages.replaceChildren();
    if (shown.pages > 1) {
      const [page, last] = [shown.page, shown.pages];
      const earlier = button("Earlier blocks", { type: "page", page: page - 1 }, page > 1 ? {} : { disabled: "" });
      const later = button("Later blocks", { type: "page", page: page + 1 }, page < last ? {} : { disabled: "" });
      pages.append(earlier, element("span", "rl-label", `page ${page} of ${last}`), later);
    }
    drawTurns(shown);
  }

  function drawTurns(shown) {
    const inside = turns.contains(document.activeElement);
    turns.replaceChildren();
    turns.hidden = !(shown.turns || []).length;
    const list = element("ol", "rl-turn-list");
    for (const line of shown.turns || []) {
      const item = element("li");
      const open = button("", { type: "turn", turn: line.turn }, line.here ? { "aria-current": "true" } : {});
      open.className = "rl-turn";
      open.append(element("span", "rl-turn-head", line.head), element("bdi", "rl-turn-preview", line.preview));
      item.append(open);
      list.append(item);
    }
    turns.append(list);
    if (shown.turn_pages > 1) {
      const bar = element("div", "rl-pages");
      const [page, last] = [shown.turn_page, shown.turn_pages];
      const ends = [page > 1 ? {} : { disabled: "" }, page < last ? {} : { disabled: "" }];
      bar.append(
        button("‹", { type: "turns", page: page - 1 }, { "aria-label": "Earlier turns", ...ends[0] }),
        element("span", "rl-label", `${page} of ${last}`),
        button("›", { type: "turns", page: page + 1 }, { "aria-label": "Later turns", ...ends[1] }),
      );
      turns.append(bar);
    }
    const here = list.querySelector("[aria-current]");
    if (here) {
      turns.scrollTop = Math.max(0, here.offsetTop - turns.clientHeight / 3);
      if (inside) here.focus({ preventScroll: true });
    }
  }

  // ---- the blocks ----

  const drawn = new Map(); // id -> [what was drawn, its element]

  function drawBlocks() {
    const kept = keepSelection();
    const wanted = model.get("blocks");
    const made = wanted.map((block) => {
      const before = drawn.get(block.key);
      const said = JSON.stringify(block);
      if (before && before[0] === said) return before[1];
      const article = drawBlock(block);
      drawn.set(block.key, [said, article]);
      return article;
    });
    for (const key of [...drawn.keys()]) if (!wanted.some((block) => block.key === key)) drawn.delete(key);
    // Elements that stay where they are keep their focus; only what differs is replaced.
    made.forEach((article, at) => {
      if (blocks.children[at] !== article) blocks.insertBefore(article, blocks.children[at] || null);
    });
    while (blocks.children.length > made.length) blocks.lastChild.remove();
    if (kept) putSelection(kept);
    reveal();
  }

  function drawBlock(block) {
    const article = element("article", "rl-step", "", { "aria-label": `${block.who}, ${block.place}` });
    article.dataset.key = block.key;
    const head = element("div", "rl-step-head");
    head.append(element("span", `rl-role rl-role-${block.role}`, block.who), element("span", "rl-place", block.place));
    if (block.dead) head.append(element("span", "rl-tier", "dead branch"));
    const text = element("div", block.code ? "rl-block rl-as-code" : "rl-block", "", {
      dir: "auto",
      // An editing host has a caret and selects with shift and the arrow keys; what would change it is refused below.
      contenteditable: "true",
      spellcheck: "false",
      role: "textbox",
      "aria-readonly": "true",
      "aria-multiline": "true",
      "aria-label": `Text of this block (${block.who}); select words to cite them`,
    });
    appendPieces(text, block.pieces);
    article.append(head, text);
    if (block.earlier || block.later) {
      const bar = element("div", "rl-pages");
      if (block.earlier) bar.append(button("Earlier part", { type: "part", key: block.key, direction: -1 }));
      bar.append(element("span", "rl-label", block.extent));
      if (block.later) bar.append(button("Later part", { type: "part", key: block.key, direction: 1 }));
      article.append(bar);
    }
    article.append(...(block.agents || []).map(agentCard));
    return article;
  }

  function reveal() {
    const wanted = model.get("reveal");
    if (!wanted.serial || wanted.serial === revealed) return;
    const article = [...blocks.children].find((one) => one.dataset.key === wanted.key);
    if (!article) return;
    if (!main.clientHeight) {
      // Not laid out yet: drawn before the cell that shows it, or in a tab that is behind another.
      cancelAnimationFrame(laidOut);
      laidOut = requestAnimationFrame(reveal);
      return;
    }
    revealed = wanted.serial;
    // Scroll inside the reader only; scrollIntoView would move the notebook as well.
    const at = article.querySelector(".rl-here") || article.querySelector(".rl-match") || article;
    const distance = at.getBoundingClientRect().top - main.getBoundingClientRect().top;
    main.scrollTop += distance - (at === article ? 4 : main.clientHeight / 3);
  }

  // ---- selections ----

  /** Code points of a text before a point in it; UTF-16 pairs count once. */
  function offsetOf(text, node, offset) {
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(node, offset);
    return [...range.toString()].length;
  }

  /** The point in a text that has so many code points before it. */
  function pointAt(text, points) {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    let left = points;
    let last = [text, 0];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const chars = [...node.data];
      if (left <= chars.length) return [node, chars.slice(0, left).join("").length];
      left -= chars.length;
      last = [node, node.data.length];
    }
    return last;
  }

  const textOf = (node) => (node?.nodeType === Node.TEXT_NODE ? node.parentElement : node)?.closest?.(".rl-block");

  function keepSelection() {
    const selection = window.getSelection();
    const text = textOf(selection?.anchorNode);
    if (!text || !blocks.contains(text) || textOf(selection.focusNode) !== text) return null;
    return {
      key: text.closest(".rl-step").dataset.key,
      anchor: offsetOf(text, selection.anchorNode, selection.anchorOffset),
      focus: offsetOf(text, selection.focusNode, selection.focusOffset),
      focused: document.activeElement === text,
    };
  }

  function putSelection({ key, anchor, focus, focused }) {
    const text = [...blocks.children].find((one) => one.dataset.key === key)?.querySelector(".rl-block");
    if (!text) return;
    if (focused && document.activeElement !== text) text.focus({ preventScroll: true });
    window.getSelection().setBaseAndExtent(...pointAt(text, anchor), ...pointAt(text, focus));
  }

  let told = "";

  function selectionMade() {
    const kept = keepSelection();
    if (!kept || kept.anchor === kept.focus) return;
    const block = model.get("blocks").find((one) => one.key === kept.key);
    const ends = [kept.anchor, kept.focus].sort((a, b) => a - b);
    const made = JSON.stringify([kept.key, ends]);
    if (!block || made === told) return;
    told = made;
    model.send({ type: "select", key: kept.key, start: block.start + ends[0], end: block.start + ends[1] });
  }

  let waiting = 0;
  const selectionSoon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(selectionMade, 150); // a key that is held down selects once
  };

  blocks.addEventListener("mouseup", () => setTimeout(selectionMade, 0));
  blocks.addEventListener("keyup", (event) => {
    if (event.shiftKey || event.key === "Shift" || event.key === "a") selectionSoon();
  });
  blocks.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && found.querySelector(".rl-add")) {
      event.preventDefault();
      found.querySelector(".rl-add").focus();
    }
    // Keys typed while reading must not reach the notebook's own shortcuts.
    if (event.key !== "Escape" && event.key !== "Tab") event.stopPropagation();
  });
  for (const change of ["beforeinput", "dragstart", "drop"]) {
    blocks.addEventListener(change, (event) => event.preventDefault());
  }
  // What an input method has composed cannot be refused; the text is put back.
  blocks.addEventListener("compositionend", (event) => {
    const article = event.target.closest(".rl-step");
    const block = model.get("blocks").find((one) => one.key === article?.dataset.key);
    if (!block) return;
    drawn.delete(block.key);
    drawBlocks();
  });

  // ---- what was found ----

  function drawFound() {
    const cited = model.get("cited");
    const focused = found.contains(document.activeElement);
    if (!cited.message) told = "";
    verdict.className = `rl-verdict rl-verdict-${cited.verdict || "none"}`;
    verdict.textContent = cited.message || "";
    details.replaceChildren();
    if (!cited.message) return;
    const facts = element("dl", "rl-facts");
    for (const [name, value] of cited.facts || []) facts.append(element("dt", "", name), element("dd", "", value));
    details.append(facts);
    if (cited.receipt) details.append(copyLine("receipt", cited.receipt));
    if (cited.code) details.append(copyLine("code", cited.code));
    if ((cited.places || []).length) {
      const places = element("div", "rl-places", "", { role: "group", "aria-label": "Every place of these words" });
      places.append(element("span", "rl-label", cited.places_label));
      cited.places.forEach((one, index) => {
        const mark = one.here ? { "aria-current": "true" } : {};
        places.append(button(one.label, { type: "place", index }, { title: one.why, ...mark }));
      });
      details.append(places);
    }
    if (cited.receipt) {
      const bar = element("div", "rl-pages");
      const add = button(cited.added || "Add to the brief", { type: "add" });
      add.classList.add("rl-add");
      add.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        [...blocks.children].find((one) => one.dataset.key === cited.key)?.querySelector(".rl-block")?.focus();
      });
      bar.append(add);
      details.append(bar);
      if (focused) add.focus({ preventScroll: true });
    }
  }

  const callOff = whenAttached(el);
  const stops = [
    redrawOn(model, ["shown", "error", "invitation"], drawFrame),
    redrawOn(model, ["blocks", "reveal"], drawBlocks),
    redrawOn(model, ["cited"], drawFound),
  ];
  return () => {
    callOff();
    clearTimeout(waiting);
    cancelAnimationFrame(laidOut);
    stops.forEach((stop) => stop());
  };
}

export default { render };
