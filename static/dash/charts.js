// Figures are drawn by a part of the chart library, a quarter of the whole. The whole is loaded where a figure comes that the part
// does not draw, and draws all others from then on. Where the document says so it is the first and only one.
(function () {
  "use strict";
  var late = window.perfatlasLate;
  var draws = document.currentScript.dataset.draws.split(" ");
  var library;
  var asked = new WeakMap(); // the figure last asked for on each element

  // Dash loads the library from here. Where it has the whole one itself browsers may not keep it.
  Object.defineProperty(window, "_dashPlotlyJSURL", { get: () => late.first, set: () => {} });

  function isDrawn(figure) {
    return (figure.data || []).every(function (trace) {
      return draws.includes(trace.type || "scatter");
    });
  }

  // What the part left to do on this element: it would draw the figure again, without the traces that it does not know.
  function take(element) {
    clearTimeout(element._redrawTimer);
    window.removeEventListener("resize", element._responsiveChartHandler);
    delete element._responsiveChartHandler;
  }

  // Each part of the library sets itself here.
  Object.defineProperty(window, "Plotly", {
    get: function () {
      return library;
    },
    set: function (loaded) {
      var react = loaded.react;
      var isWhole = late.first === late.whole || Boolean(library);
      library = loaded;
      if (isWhole) return;
      loaded.react = function (element, figure) {
        asked.set(element, figure);
        if (isDrawn(figure)) return react.apply(this, arguments);
        return late.load("whole").then(function () {
          if (asked.get(element) !== figure) return element;
          take(element);
          return library.react(element, figure);
        });
      };
    },
  });
})();
