// The list of systems that came with the document goes when the explorer has drawn the same one.
(function () {
  "use strict";
  var look = document.querySelector(".first-look");
  if (!look) return;
  var watcher = new MutationObserver(function () {
    var content = document.getElementById("content");
    if (!content || !content.firstElementChild || content.querySelector(".skeleton")) return;
    watcher.disconnect();
    // Who had gone to a link by keyboard stays there.
    var at = look.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    look.remove();
    var same = Array.from(document.links).filter((link) => at && link.getAttribute("href") === at);
    // A closed menu may hold the same link: it has no place on the screen, and cannot be gone to.
    var seen = same.find((link) => link.getClientRects().length);
    if (seen) seen.focus();
  });
  watcher.observe(document.body, { childList: true, subtree: true });
})();
