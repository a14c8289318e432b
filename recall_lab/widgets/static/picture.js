// A chart as a picture in the colours of the theme. An <img> runs no script, whatever text the picture holds.

const STEP = 20; // pixels

function theme() {
  const jupyter = document.body.dataset.jpThemeLight;
  if (jupyter !== undefined) return jupyter === "false" ? "dark" : "light";
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-picture");
  const problem = element("div");
  const image = element("img", "rl-chart");
  el.append(problem, image);
  let address = "";

  function draw() {
    const svg = model.get("svg");
    if (address) URL.revokeObjectURL(address);
    address = svg ? URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })) : "";
    image.hidden = !address;
    if (address) image.src = address;
    image.alt = model.get("alt");
    problem.replaceChildren(...(model.get("error") ? [errorLine(model.get("error"))] : []));
  }

  // The kernel draws in the theme that is shown and for the room there is, which counts in steps: a picture costs a moment.
  function tell() {
    const width = Math.min(1600, Math.floor(el.clientWidth / STEP) * STEP) || model.get("width");
    if (model.get("theme") === theme() && model.get("width") === width) return;
    model.set({ theme: theme(), width });
    model.save_changes();
  }

  let waiting = 0;
  const themes = new MutationObserver(tell);
  themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  const sizes = new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(tell, 150);
  });
  sizes.observe(el);
  const stop = redrawOn(model, ["svg", "alt", "error"], draw);
  return () => {
    clearTimeout(waiting);
    sizes.disconnect();
    themes.disconnect();
    stop();
    if (address) URL.revokeObjectURL(address);
  };
}

export default { render };
