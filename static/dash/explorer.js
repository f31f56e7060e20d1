// Choices that change the lens, and figures whose rows lead somewhere.
(function () {
  "use strict";
  var none = window.dash_clientside && window.dash_clientside.no_update;

  // A click anywhere in a figure's row does what the row's own link or button does.
  function open(click) {
    var key = click && click.points && click.points[0] && click.points[0].customdata;
    var graph = window.dash_clientside.callback_context.triggered_id;
    if (!key || !graph) return none;
    var body = document.getElementById(graph).closest(".figure-body");
    var row = body && body.querySelector('[data-key="' + CSS.escape(key) + '"]');
    if (row) row.click();
    return none;
  }

  // A click on a frame of a flame graph opens the page of its function, which the call tree below leads to.
  function openFrame(click) {
    var key = click && click.points && click.points[0] && click.points[0].customdata;
    var graph = window.dash_clientside.callback_context.triggered_id;
    if (!key || !graph) return none;
    var card = document.getElementById(graph).closest(".figure-card");
    card.dispatchEvent(new Event("twin"));
    // The tree is drawn by then.
    window.setTimeout(function () {
      var row = card.querySelector('.figure-twin [data-key="' + CSS.escape(key) + '"]');
      if (row) row.click();
    });
    return none;
  }

  function merge(change) {
    var now = window.perfatlasLens.current();
    var moves = Object.keys(change).some((name) => (now[name] || null) !== (change[name] || null));
    if (moves) window.perfatlasLens.merge(change);
    return none;
  }

  document.addEventListener("click", function (event) {
    var choice = event.target.closest("[data-lens]");
    if (choice) window.perfatlasPress(choice, () => merge(JSON.parse(choice.getAttribute("data-lens"))));
  });

  // What is in view stays where it is.
  function reveal(selector) {
    var found = document.querySelector(selector);
    if (!found) return;
    var box = found.getBoundingClientRect();
    if (box.top < 96 || box.top > window.innerHeight - 96) found.scrollIntoView({ block: "center" });
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    explorer: {
      open: open,
      openFrame: openFrame,
      // Only a person's move of the slider goes into the address, not where the page itself puts it.
      threshold: function (position, slider) {
        if (!slider || position === undefined || position === slider.position) return none;
        return merge({ threshold: String(slider.choices[position]) });
      },
      search: function (text) {
        return merge({ search: text || null });
      },
      option: function (name) {
        return merge({ option: name || null });
      },
      // A row of the table of regions leads to its region; this page's own filters stay behind.
      openRegion: function (selected) {
        if (!selected || !selected.length) return none;
        var lens = Object.assign(window.perfatlasLens.current(), { region: selected[0].key });
        ["kind", "option", "reached", "search"].forEach((name) => delete lens[name]);
        var path = window.location.pathname.replace(/\/$/, "") + "/" + encodeURIComponent(selected[0].key);
        window.perfatlasLinks.go(path + "?" + new URLSearchParams(lens));
        return none;
      },
      reached: function (name) {
        return merge({ reached: name || null });
      },
      // React draws after the callback: the next frame has it.
      revealChain: function () {
        window.requestAnimationFrame(() => reveal(".chain"));
        return none;
      },
      revealLine: function () {
        window.requestAnimationFrame(() => reveal(".source-line-here"));
        return none;
      },
      // Only the step that was asked for comes into view.
      revealStep: function () {
        if (/[?&]step=/.test(window.location.search)) window.requestAnimationFrame(() => reveal("#history-explained .card-title"));
        return none;
      },
      // A figure whose names need another place there.
      room: function () {
        return window.matchMedia("(max-width: 640px)").matches ? "narrow" : "wide";
      },
      // A row of a table chooses its term.
      choose: function (selected) {
        return selected && selected.length ? merge({ term: selected[0].key }) : none;
      },
    },
  });
})();
