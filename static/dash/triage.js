// Working through changes: a menu's line or a key sets the state of the change that has the focus.
(function () {
  "use strict";
  var none = window.dash_clientside && window.dash_clientside.no_update;
  var STATES = {
    r: "new",
    a: "acknowledged",
    i: "infrastructure",
    e: "expected",
    n: "noise",
    f: "fixed",
  };
  // Where the focus was when something was asked for: redrawing must not lose it.
  var held = null;
  // Where it was when something was said last: taking that back leads there.
  var last = null;

  function controls() {
    return Array.from(document.querySelectorAll("[data-triage-key]")).filter((one) => one.offsetParent !== null);
  }

  function set(id, data) {
    // A number makes the same wish a new one.
    window.dash_clientside.set_props(id, { data: Object.assign({ at: Date.now() }, data) });
  }

  function ask(control, wish) {
    var change = { key: control.dataset.triageKey, of: control.dataset.triageOf };
    held = last = { key: change.key, index: controls().indexOf(control) };
    control.open = false;
    control.querySelector("summary").focus({ preventScroll: true });
    if (wish.open) {
      set("triage-opened", change);
      var dialog = document.getElementById("triage-dialog");
      if (dialog && !dialog.open) dialog.showModal();
    } else {
      set("triage-asked", Object.assign(change, wish));
    }
  }

  document.addEventListener("click", function (event) {
    var item = event.target.closest("[data-triage]");
    var control = item && item.closest("[data-triage-key]");
    if (control) ask(control, JSON.parse(item.getAttribute("data-triage")));
  });

  document.addEventListener("keydown", function (event) {
    if (!window.perfatlasKeys.free(event)) return;
    if (event.key === "u") {
      var undo = document.getElementById("triage-undo");
      if (!undo || undo.hidden) return;
      event.preventDefault();
      held = last;
      undo.click();
      return;
    }
    var control = document.activeElement && document.activeElement.closest("[data-triage-key]");
    if (!control) return;
    var state = STATES[event.key.toLowerCase()];
    if (event.key === "o") ask(control, { open: true });
    else if (state) ask(control, { state: state, beside: event.key !== event.key.toLowerCase() });
    else return;
    event.preventDefault();
  });

  // A table that scrolls would cut its menus: they lie over the page, beside their button and within the window.
  document.addEventListener(
    "toggle",
    function (event) {
      var control = event.target;
      if (!control.open || !control.matches || !control.matches("[data-triage-key]")) return;
      var panel = control.querySelector(".menu-panel");
      var button = control.querySelector("summary").getBoundingClientRect();
      panel.style.position = "fixed";
      var height = panel.offsetHeight;
      var below = button.bottom + 6 + height <= window.innerHeight;
      panel.style.top = Math.max(8, below ? button.bottom + 6 : button.top - 6 - height) + "px";
      panel.style.left = Math.max(8, Math.min(button.left, window.innerWidth - panel.offsetWidth - 8)) + "px";
    },
    true
  );
  // A menu over the page stays where it is while the page moves on: it closes.
  document.addEventListener(
    "scroll",
    function (event) {
      if (event.target.closest && event.target.closest(".menu-panel")) return;
      document.querySelectorAll("[data-triage-key][open]").forEach((one) => (one.open = false));
    },
    true
  );

  // Back to the same change, or to the one that took its place, unless the person went elsewhere meanwhile.
  function refocus() {
    var active = document.activeElement;
    var elsewhere = active && active !== document.body && active.id !== "page" && !active.closest("[data-triage-key]");
    if (!held || (elsewhere && active.id !== "triage-undo")) return;
    var all = controls();
    var same = all.find((one) => one.dataset.triageKey === held.key);
    var next = same || all[Math.min(Math.max(held.index, 0), all.length - 1)];
    held = null;
    if (next) next.querySelector("summary").focus({ preventScroll: true });
  }

  Object.assign(window.dash_clientside.explorer, {
    // React draws after the callback: the next frame has it.
    keepTriaged: function () {
      window.requestAnimationFrame(() => window.requestAnimationFrame(refocus));
      return none;
    },
    closeTriage: function () {
      var dialog = document.getElementById("triage-dialog");
      if (dialog && dialog.open) dialog.close();
      return none;
    },
  });
})();
