// A figure keeps the height that it is drawn in. Plotly forgets a height that it was given when a width changes meanwhile, and
// takes all of what is around instead: where that has none, the figure would lie over what stands below.
(function () {
  "use strict";
  var waits = false;
  function hold() {
    waits = false;
    document.querySelectorAll(".figure-graph .svg-container").forEach(function (box) {
      var drawn = box.style.height === "100%" && box.querySelector(".main-svg");
      if (drawn && drawn.getAttribute("height")) box.style.height = drawn.getAttribute("height") + "px";
    });
  }
  new MutationObserver(function () {
    if (!waits) window.requestAnimationFrame(hold);
    waits = true;
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
