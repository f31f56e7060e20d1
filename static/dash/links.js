// Plain links between pages of the explorer change the page without a reload.
(function () {
  "use strict";
  function go(href) {
    window.history.pushState({}, "", href);
    // dcc.Location listens to this event of the browser's own.
    window.dispatchEvent(new PopStateEvent("popstate"));
    window.scrollTo(0, 0);
  }

  document.addEventListener("click", function (event) {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    var link = event.target.closest("a[href]");
    if (!link || link.target || link.hasAttribute("download")) return;
    if (link.origin !== window.location.origin || !link.pathname.startsWith("/app/")) return;
    event.preventDefault();
    window.perfatlasPress(link, () => go(link.href));
    var dialog = link.closest("dialog");
    if (dialog) dialog.close();
  });

  // A link dropped by its own address on the page that shows it would do nothing: then the page stays as it is.
  window.perfatlasLinks = { go: go };

  var opened = false;
  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    page: {
      title: function (title) {
        document.title = title ? title + " · Perfatlas" : "Perfatlas";
        var main = document.getElementById("page");
        // Readers of the screen begin at the new page; on the first one, whose title comes after none, focus stays.
        var first = !opened;
        opened = opened || (title !== undefined && title !== null);
        if (!first && main && document.activeElement && document.activeElement !== document.body) {
          main.focus({ preventScroll: true });
        }
        return window.dash_clientside.no_update;
      },
    },
  });
})();
