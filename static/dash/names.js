// What Mantine draws without a name gets one: the arrows that turn pages.
(function () {
  "use strict";
  function name(root) {
    var all = root.querySelectorAll(".mantine-Pagination-control");
    if (!all.length) return;
    all[0].setAttribute("aria-label", "Previous page");
    all[all.length - 1].setAttribute("aria-label", "Next page");
  }

  // Names are attributes: what is set here starts no further round.
  new MutationObserver(function () {
    document.querySelectorAll(".mantine-Pagination-root").forEach(name);
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
