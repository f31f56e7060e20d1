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
  // The change that has the focus, and the page that it is on, until the person goes elsewhere: however often the list is
  // drawn anew, the focus is not lost.
  var held = null;
  // The one of which something was said last: taking that back leads there.
  var last = null;

  function controls() {
    return Array.from(document.querySelectorAll("[data-triage-key]")).filter((one) => one.offsetParent !== null);
  }

  function placeOf(control) {
    return { key: control.dataset.triageKey, index: controls().indexOf(control), path: window.location.pathname };
  }

  function set(id, data) {
    // A number makes the same wish a new one.
    window.dash_clientside.set_props(id, { data: Object.assign({ at: Date.now() }, data) });
  }

  function ask(control, wish) {
    var change = { key: control.dataset.triageKey, of: control.dataset.triageOf };
    control.open = false;
    control.querySelector("summary").focus({ preventScroll: true });
    held = last = placeOf(control);
    if (wish.open) {
      // The dialog lies over the list: it says which change it is about.
      change.name = control.querySelector("summary").getAttribute("aria-label").replace(/^[^:]*: /, "");
      set("triage-opened", change);
      var dialog = document.getElementById("triage-dialog");
      if (dialog && !dialog.open) dialog.showModal();
    } else {
      set("triage-asked", Object.assign(change, wish));
    }
  }

  document.addEventListener("click", function (event) {
    if (event.target.closest("#triage-undo")) held = last;
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

  // The lines of all menus are on the page once.
  function fill(control, panel) {
    var lines = document.getElementById("triage-menu").cloneNode(true);
    lines.querySelectorAll(":scope > [data-triage]").forEach(function (line) {
      var here = JSON.parse(line.dataset.triage).state === control.dataset.triageState;
      line.setAttribute("aria-current", String(here));
    });
    if (control.dataset.triageBeside) lines.querySelector(".menu-label").textContent = control.dataset.triageBeside;
    else lines.querySelectorAll(".menu-label, .triage-all").forEach((one) => one.remove());
    panel.replaceChildren(...lines.children);
  }

  // A table that scrolls would cut its menus: they lie over the page, beside their button and within the window.
  document.addEventListener(
    "toggle",
    function (event) {
      var control = event.target;
      if (!control.open || !control.matches || !control.matches("[data-triage-key]")) return;
      var panel = control.querySelector(".menu-panel");
      fill(control, panel);
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

  // What is used on the way to saying something: the focus in there is not elsewhere.
  var TOOLS = "#triage-undo, #triage-dialog";
  document.addEventListener("focusin", function (event) {
    var control = event.target.closest("[data-triage-key]");
    if (control) held = placeOf(control);
    else if (!event.target.matches("#page") && !event.target.closest(TOOLS)) held = null;
  });
  document.addEventListener("pointerdown", function (event) {
    if (!event.target.closest("[data-triage-key], " + TOOLS)) held = null;
  });

  // After each drawing: back to the same change, or to the one that took its place.
  function refocus() {
    if (!held) return;
    var active = document.activeElement;
    var lost = !active || active === document.body || active.matches("#page, #triage-undo[hidden]");
    var there = active && active.closest("[data-triage-key]");
    if (!lost && (!there || there.dataset.triageKey === held.key)) return;
    if (held.path !== window.location.pathname) {
      held = null;
      return;
    }
    var all = controls();
    var same = all.find((one) => one.dataset.triageKey === held.key);
    var next = same || (lost && all[Math.min(Math.max(held.index, 0), all.length - 1)]);
    if (!next) return;
    var wanted = held;
    next.querySelector("summary").focus({ preventScroll: true });
    // The change itself may come back with the next drawing.
    held = wanted;
  }
  new MutationObserver(refocus).observe(document.documentElement, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["data-triage-key", "hidden", "open"],
  });

  Object.assign(window.dash_clientside.explorer, {
    closeTriage: function () {
      var dialog = document.getElementById("triage-dialog");
      if (dialog && dialog.open) dialog.close();
      return none;
    },
  });
})();
