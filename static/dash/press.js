// A press is answered by the next picture: what was pressed is marked, and only then the work begins that may hold the browser.
(function () {
  "use strict";
  var LOOK_AGAIN_MS = 50;
  // After this long without a question to the server there will be none.
  var NOTHING_ASKED_MS = 500;
  // An element that is always there: an attribute of one that holds the page costs styles of all in it at each press.
  var line = document.createElement("div");
  line.className = "press-line";
  line.hidden = true;
  line.setAttribute("aria-hidden", "true");
  document.body.append(line);

  function rest(until) {
    var asks = document.querySelector("[data-dash-is-loading=true]");
    if (asks || Date.now() < until) return setTimeout(rest, LOOK_AGAIN_MS, asks ? 0 : until);
    line.hidden = true;
    document.querySelectorAll("[data-pressed]").forEach((one) => one.removeAttribute("data-pressed"));
  }

  window.perfatlasPress = function (pressed, work) {
    pressed.setAttribute("data-pressed", "true");
    line.hidden = false;
    window.requestAnimationFrame(() =>
      setTimeout(function () {
        work();
        rest(Date.now() + NOTHING_ASKED_MS);
      })
    );
  };
})();
