// Draws the stored figures of a report. Colours of text and grid follow the reader's theme.
(function () {
  "use strict";
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function themed(layout) {
    const style = getComputedStyle(document.documentElement);
    const quiet = style.getPropertyValue("--quiet").trim();
    const line = style.getPropertyValue("--line").trim();
    const themedLayout = Object.assign({}, layout, {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: Object.assign({}, layout.font, { color: ink() }),
    });
    Object.keys(layout).filter((key) => /^[xy]axis/.test(key)).forEach((key) => {
      themedLayout[key] = Object.assign({}, layout[key], {
        gridcolor: line, linecolor: line, zerolinecolor: quiet, tickfont: { size: 12, color: quiet },
      });
    });
    return themedLayout;
  }

  // Lines that are ink on paper stay ink on any paper.
  function inked(trace) {
    const line = trace.line && trace.line.color === "#1b1f24" ? { line: Object.assign({}, trace.line, { color: ink() }) } : {};
    return Object.assign({}, trace, line);
  }

  function ink() {
    return getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
  }

  function draw() {
    document.querySelectorAll("[data-figure]").forEach((element) => {
      const figure = figures[Number(element.dataset.figure)];
      window.Plotly.react(element, figure.data.map(inked), themed(figure.layout), { displaylogo: false, responsive: true });
    });
  }

  draw();
  dark.addEventListener("change", draw);
})();
