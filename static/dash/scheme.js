// Light and dark: the button in the top bar, and the store that figures read.
(function () {
  "use strict";
  document.addEventListener("click", function (event) {
    if (!event.target.closest("[data-action=scheme]")) return;
    var next = window.perfatlasScheme.chosen() === "dark" ? "light" : "dark";
    window.perfatlasScheme.choose(next);
    window.dash_clientside.set_props("provider", { forceColorScheme: next });
    window.dash_clientside.set_props("scheme", { data: next });
  });

  // Where nobody chose, the figures follow the system as the page itself does.
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () {
    window.dash_clientside.set_props("scheme", { data: window.perfatlasScheme.chosen() });
  });

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    scheme: {
      read: function (_pathname, current) {
        var chosen = window.perfatlasScheme.chosen();
        return chosen === current ? window.dash_clientside.no_update : chosen;
      },
    },
  });
})();
