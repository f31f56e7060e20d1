// Chooses light or dark before the first paint. Mantine reads the same key.
(function () {
  "use strict";
  var KEY = "mantine-color-scheme-value";
  function chosen() {
    var stored = null;
    try {
      stored = window.localStorage.getItem(KEY);
    } catch (_) {
      // Storage may be forbidden: the system's choice then holds.
    }
    if (stored === "light" || stored === "dark") return stored;
    return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }
  function apply(scheme) {
    document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
  }
  function choose(scheme) {
    try {
      window.localStorage.setItem(KEY, scheme);
    } catch (_) {
      // Then it holds for this page only.
    }
    apply(scheme);
  }
  apply(chosen());
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () {
    apply(chosen());
  });
  window.perfatlasScheme = { chosen: chosen, choose: choose };
})();
