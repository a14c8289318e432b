// Shared by every view. Text from transcripts only ever becomes a text node: nothing here parses HTML.

/** An element with a class, text and attributes. */
function element(tag, className = "", text = "", attributes = {}) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== "") made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** Append pieces ([text, mark]) as text nodes and marks; mark is "" for plain text, else the mark's class. */
function appendPieces(parent, pieces) {
  for (const [text, mark] of pieces) {
    if (mark) parent.append(element("mark", `rl-mark rl-${mark}`, text));
    else parent.append(document.createTextNode(text));
  }
}

/** Copy text; where the browser forbids the clipboard (no https, no permission), select it for the user's own copy. */
async function copyText(text, shownIn) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(shownIn);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return false;
  }
}

/** A line of code or a receipt with a button that copies it. */
function copyLine(label, text) {
  const line = element("div", "rl-copy");
  const code = element("code", "rl-code", text);
  const button = element("button", "rl-button rl-small", "Copy", { type: "button", "aria-label": `Copy the ${label}` });
  button.addEventListener("click", async () => {
    button.textContent = (await copyText(text, code)) ? "Copied" : "Press Ctrl-C";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  line.append(element("span", "rl-label", label), code, button);
  return line;
}

/** A problem in one line, announced to screen readers. */
function errorLine(text) {
  return element("div", "rl-error", text, { role: "alert" });
}

/** Call back with the panel around a view, once it is attached; returns what calls that off. */
function whenAttached(el, call) {
  const waiting = requestAnimationFrame(() => {
    const panel = el.closest(".recall-lab-panel");
    // A field that shows only a placeholder has no name for a screen reader.
    for (const field of panel?.querySelectorAll("input[placeholder], textarea[placeholder]") || []) {
      if (!field.labels?.length || !field.labels[0].textContent) field.setAttribute("aria-label", field.placeholder);
    }
    if (panel && call) call(panel);
  });
  return () => cancelAnimationFrame(waiting);
}

/** Redraw when one of the traits changes, once a frame; returns what takes the listeners away. */
function redrawOn(model, traits, draw) {
  let waiting = 0;
  const soon = () => {
    if (waiting) return;
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      draw();
    });
  };
  for (const trait of traits) model.on(`change:${trait}`, soon);
  draw();
  return () => {
    if (waiting) cancelAnimationFrame(waiting);
    for (const trait of traits) model.off(`change:${trait}`, soon);
  };
}
