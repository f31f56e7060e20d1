// Draws the stored figures of a report. Colours of text and grid follow the reader's theme; paper is light.
(function () {
  "use strict";
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  // In CSS pixels, 96 an inch: what both A4 and Letter hold between the margins, with a heading above.
  const PAPER = { width: 680, height: 820 };
  // The colours of ink that figures are stored with, by what stands for them in the style sheet.
  const INKS = { "#1b1f24": "--ink", "#5b636e": "--quiet", "#8a929c": "--quiet", "#ffffff": "--paper" };

  function colour(name) {
    return getComputedStyle(root).getPropertyValue(name).trim();
  }

  function themed(layout, onPaper) {
    const quiet = colour("--quiet");
    const line = colour("--line");
    const themedLayout = Object.assign({}, inked(layout), {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: Object.assign({}, layout.font, { color: colour("--ink") }),
      // Its colour follows the paper, which has none here.
      modebar: { bgcolor: "rgba(0,0,0,0)", color: quiet, activecolor: colour("--ink") },
      // What the reader zoomed to stays, on paper and in another theme.
      uirevision: "kept",
    });
    Object.keys(layout).filter((key) => /^[xy]axis/.test(key)).forEach((key) => {
      themedLayout[key] = Object.assign({}, themedLayout[key], {
        gridcolor: line, linecolor: line, zerolinecolor: quiet, tickfont: { size: 12, color: quiet },
      });
      // Nobody drags on paper.
      if (onPaper && layout[key].rangeslider) themedLayout[key].rangeslider = { visible: false };
    });
    return themedLayout;
  }

  // What is ink on paper, lines and labels, stays ink on any paper.
  function inked(value) {
    if (typeof value === "string") return INKS[value] ? colour(INKS[value]) : value;
    if (Array.isArray(value)) return value.length && typeof value[0] === "number" ? value : value.map(inked);
    if (!value || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inked(part)]));
  }

  function draw(onPaper) {
    root.classList.toggle("on-paper", onPaper);
    document.querySelectorAll("[data-figure]").forEach((element) => {
      const figure = figures[Number(element.dataset.figure)];
      const layout = themed(figure.layout, onPaper);
      // One that is taller than a page is drawn smaller, whole.
      const scale = onPaper ? Math.min(1, PAPER.height / (layout.height || 1)) : 1;
      element.style.zoom = scale === 1 ? "" : scale;
      layout.width = onPaper ? Math.floor(PAPER.width / scale) : element.clientWidth;
      window.Plotly.react(element, inked(figure.data), layout, { displaylogo: false, responsive: true });
    });
  }

  draw(false);
  dark.addEventListener("change", () => draw(false));
  // A window that becomes narrower or wider, as one that is turned: once it is at rest. Printing has a width of its own.
  let width = window.innerWidth;
  let resting;
  window.addEventListener("resize", () => {
    clearTimeout(resting);
    resting = setTimeout(() => {
      if (window.innerWidth === width || root.classList.contains("on-paper")) return;
      width = window.innerWidth;
      draw(false);
    }, 150);
  });
  window.addEventListener("beforeprint", () => draw(true));
  // The screen's own width is known a frame later.
  window.addEventListener("afterprint", () => requestAnimationFrame(() => draw(false)));
  document.querySelectorAll("[data-print]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => window.print());
  });
})();
