// A chart as a picture, in the colours of the theme. An <img> runs no script, whatever text the picture holds.

function isDark() {
  const jupyter = document.body.dataset.jpThemeLight;
  if (jupyter !== undefined) return jupyter === "false";
  return window.matchMedia("(prefers-color-scheme: dark)").matches;
}

function render({ model, el }) {
  el.classList.add("recall-lab", "rl-picture");
  const image = element("img", "rl-chart");
  const problem = element("div");
  el.append(problem, image);
  let address = "";

  function draw() {
    const svg = (isDark() && model.get("dark")) || model.get("light");
    if (address) URL.revokeObjectURL(address);
    address = svg ? URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })) : "";
    image.hidden = !address;
    if (address) image.src = address;
    image.alt = model.get("alt");
    problem.replaceChildren(...(model.get("error") ? [errorLine(model.get("error"))] : []));
  }

  const themes = new MutationObserver(draw);
  themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  const stop = redrawOn(model, ["light", "dark", "alt", "error"], draw);
  return () => {
    themes.disconnect();
    stop();
    if (address) URL.revokeObjectURL(address);
  };
}

export default { render };
