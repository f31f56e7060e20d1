// A fold (data-fold) that somebody opened stays open when what it stands in is drawn anew.
(function () {
  "use strict";
  var opened = new Set();
  var drawn = new MutationObserver(function () {
    document.querySelectorAll("details[data-fold]:not([open])").forEach(function (fold) {
      if (opened.has(fold.dataset.fold)) fold.open = true;
    });
  });

  document.addEventListener(
    "toggle",
    function (event) {
      var fold = event.target;
      if (!fold.dataset.fold) return;
      if (fold.open) opened.add(fold.dataset.fold);
      else opened.delete(fold.dataset.fold);
      // Nothing is watched while all are closed.
      if (opened.size) drawn.observe(document.body, { childList: true, subtree: true });
      else drawn.disconnect();
    },
    true
  );
})();
