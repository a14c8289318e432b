// A chart as a picture in the colours of the theme. An <img> runs no script, whatever text the picture holds.

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

  // The kernel draws in the theme that is shown.
  function tellTheme() {
    if (model.get("theme") === theme()) return;
    model.set("theme", theme());
    model.save_changes();
  }

  const themes = new MutationObserver(tellTheme);
  themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  tellTheme();
  const stop = redrawOn(model, ["svg", "alt", "error"], draw);
  return () => {
    themes.disconnect();
    stop();
    if (address) URL.revokeObjectURL(address);
  };
}

export default { render };
