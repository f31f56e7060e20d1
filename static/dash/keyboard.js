// Keys: / and Ctrl-K search, j k through lists, t table twin, [ ] previous and next revision, ? help.
(function () {
  "use strict";
  function typing(target) {
    return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  }

  function toggle(card) {
    var on = card.classList.toggle("shows-table");
    var button = card.querySelector("[data-twin=toggle]");
    if (!button) return;
    button.setAttribute("aria-pressed", String(on));
    button.textContent = on ? "Figure" : "Table";
    card.dispatchEvent(new Event("twin"));
  }

  function twins() {
    var held = document.activeElement && document.activeElement.closest("[data-twin=card]");
    var pointed = document.querySelector("[data-twin=card]:hover");
    if (held || pointed) return [held || pointed];
    return Array.from(document.querySelectorAll("[data-twin=card]"));
  }

  function rows() {
    return Array.from(document.querySelectorAll("[data-row]")).filter((row) => row.offsetParent !== null);
  }

  function step(by) {
    var grid = document.activeElement && document.activeElement.closest(".ag-root");
    if (grid) {
      var key = by > 0 ? "ArrowDown" : "ArrowUp";
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: key, bubbles: true }));
      return;
    }
    var all = rows();
    if (!all.length) return;
    var at = all.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
    var next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }

  function press(selector) {
    var target = document.querySelector(selector);
    if (target && !target.disabled) target.click();
  }

  function open(id) {
    var dialog = document.getElementById(id);
    if (!dialog || dialog.open) return;
    dialog.showModal();
    var field = dialog.querySelector("input");
    if (field) field.select();
  }

  function closeMenus(except) {
    document.querySelectorAll("[data-menu][open]").forEach(function (menu) {
      if (menu !== except) menu.open = false;
    });
  }

  // Whether a key is a command: nobody types, no dialog is open, and nobody else has taken it.
  function free(event) {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || typing(event.target)) return false;
    return !document.querySelector("dialog[open], [role=dialog][aria-modal=true]");
  }
  window.perfatlasKeys = { free: free };

  var KEYS = {
    "/": () => open("search"),
    "?": () => open("keys"),
    j: () => step(1),
    k: () => step(-1),
    t: () => twins().forEach(toggle),
    "[": () => press("[data-step=previous]"),
    "]": () => press("[data-step=next]"),
  };

  // Arrows go through `all`, and before the first one back to where they came from.
  function arrows(event, all, start) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    var at = all.indexOf(document.activeElement);
    var next = event.key === "ArrowDown" ? Math.min(at + 1, all.length - 1) : at - 1;
    var target = next < 0 ? start : all[next];
    if (target) target.focus();
  }

  // In the search dialog they go through what was found, and Enter opens the first; in an open menu through its lines.
  document.addEventListener("keydown", function (event) {
    var found = event.target.closest && event.target.closest("[data-finds]");
    if (found) {
      var all = Array.from(found.querySelectorAll("[data-row]"));
      if (event.key === "Enter" && !all.includes(document.activeElement) && all.length) all[0].click();
      arrows(event, all, found.querySelector("input"));
      return;
    }
    var menu = event.target.closest && event.target.closest("[data-menu][open]");
    if (menu && !typing(event.target)) arrows(event, Array.from(menu.querySelectorAll(".menu-item, .menu-panel a")), menu.querySelector("summary"));
  });

  document.addEventListener("keydown", function (event) {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (!document.querySelector("dialog[open], [role=dialog][aria-modal=true]")) open("search");
      return;
    }
    if (!free(event)) return;
    if (event.key === "Escape") {
      var menu = document.querySelector("[data-menu][open]");
      closeMenus();
      if (menu) menu.querySelector("summary").focus();
      return;
    }
    var act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // A list that is open within a dialog closes, not the dialog with all that was typed into it.
  document.addEventListener(
    "keydown",
    function (event) {
      var within = event.key === "Escape" && event.target.closest && event.target.closest("dialog[open]");
      if (within && event.target.matches("[data-expanded=true]")) event.preventDefault();
    },
    true
  );

  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-twin=toggle]");
    if (button) toggle(button.closest("[data-twin=card]"));
    var menu = event.target.closest("[data-menu]");
    // What a menu's line does is done: the menu closes. Its button and its texts leave it open.
    closeMenus(event.target.closest(".menu-item, .menu-panel a") ? null : menu);
    if (event.target.tagName === "DIALOG") event.target.close();
    var opener = event.target.closest("[data-opens]");
    if (opener) open(opener.getAttribute("data-opens"));
  });
})();
