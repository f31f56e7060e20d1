// A press is answered by the next picture: what was pressed is marked, and only then the work begins that may hold the browser.
(function () {
  "use strict";
  var LOOK_AGAIN_MS = 50;
  // After this long without a question to the server there will be none.
  var NOTHING_ASKED_MS = 500;
  var page = document.documentElement;

  function rest(until) {
    var asks = document.querySelector("[data-dash-is-loading=true]");
    if (asks || Date.now() < until) return setTimeout(rest, LOOK_AGAIN_MS, asks ? 0 : until);
    page.removeAttribute("data-works");
    document.querySelectorAll("[data-pressed]").forEach((one) => one.removeAttribute("data-pressed"));
  }

  window.perfatlasPress = function (pressed, work) {
    pressed.setAttribute("data-pressed", "true");
    page.setAttribute("data-works", "true");
    window.requestAnimationFrame(() =>
      setTimeout(function () {
        work();
        rest(Date.now() + NOTHING_ASKED_MS);
      })
    );
  };
})();
