// The lens (what is selected) and the address mirror each other, without rebuilding the page.
(function () {
  "use strict";
  var CARRIED = ["base", "compared", "term", "region", "revision", "since", "workload", "environment", "metric"];
  var path = window.location.pathname;

  function parse(search) {
    var data = {};
    new URLSearchParams(search).forEach(function (value, name) {
      if (value !== "") data[name] = value;
    });
    return data;
  }

  function query(data, names) {
    var wanted = new URLSearchParams();
    (names || CARRIED.concat(Object.keys(data).filter((n) => !CARRIED.includes(n)).sort())).forEach(function (name) {
      if (data[name] !== undefined && data[name] !== null && data[name] !== "") wanted.set(name, data[name]);
    });
    var text = wanted.toString();
    return text ? "?" + text : "";
  }

  function same(a, b) {
    return query(a || {}) === query(b || {});
  }

  function set(data) {
    window.dash_clientside.set_props("lens", { data: data });
  }

  // Back, Forward and links: a change of path rebuilds the page and reads the lens again by itself.
  window.addEventListener("popstate", function () {
    if (window.location.pathname === path) set(parse(window.location.search));
    path = window.location.pathname;
  });

  function el(type, props) {
    return { type: type, props: props };
  }

  // One component for Dash, whatever it holds: `components/static.py` says why.
  function atRest(elements) {
    return { namespace: "perfatlas", type: "Static", props: { tree: elements } };
  }

  var LABELS = {
    base: "base",
    compared: "compared with",
    term: "",
    region: "in",
    revision: "at",
    since: "since",
    workload: "workload",
    environment: "on",
    metric: "",
  };

  function shown(name, value) {
    if (name === "term") return value.split("*").join(" × ");
    if (name === "base" || name === "compared") return value.split("*").join(", ");
    if (name === "region") return value.replace(/\(.*$/, "").split(/[./]/).slice(-2).join(".");
    return value;
  }

  function chip(name, value) {
    var label = LABELS[name];
    return el("Span", {
      className: "lens-chip",
      title: (label ? label + " " : "") + value,
      children: [
        el("Span", { className: "lens-chip-label", children: label }),
        el("Span", { className: "lens-chip-value", children: shown(name, value) }),
        el("Button", {
          className: "lens-chip-drop",
          type: "button",
          "data-lens-drop": name,
          "aria-label": "Remove " + (label ? label + " " : "") + value + " from the selection",
          children: "×",
        }),
      ],
    });
  }

  // Pages that show nothing of a system are no views.
  var NO_VIEWS = ["views", "reports", "measure"];

  // What can be done with the page as it is selected now.
  function actions(data, pathname) {
    var match = /^\/app\/s\/[^/]+(?:\/([^/]*))?/.exec(pathname);
    if (!match || NO_VIEWS.includes(match[1])) return [];
    var save = el("Button", { className: "lens-action", type: "button", "data-opens": "save-view", children: "Save this view" });
    return [el("Span", { className: "lens-actions", children: freeze(data, pathname).concat(save) })];
  }

  // The pages that a report keeps, and what the thing that their address may name is called in a lens.
  var FROZEN = {
    influences: "", options: "option", workloads: "", "what-if": "", regions: "region", histories: "series", compare: "", approaches: "",
  };
  // Of these only one thing can be kept, not the list of all.
  var NEED_ONE = ["options", "regions"];

  // The way from a view to a report of it, with all that is selected and set there.
  function freeze(data, pathname) {
    var match = /^(\/app\/s\/[^/]+\/)([^/]+)(?:\/([^/]+))?/.exec(pathname);
    if (!match || !(match[2] in FROZEN) || (NEED_ONE.includes(match[2]) && !match[3])) return [];
    // The list of all histories is kept as its findings.
    var lists = match[2] === "histories" && match[3] === "all";
    var chosen = Object.assign({}, data, { view: lists ? "findings" : match[2] });
    if (match[3] && !lists) chosen[FROZEN[match[2]]] = decodeURIComponent(match[3]);
    return [el("A", { className: "lens-action", href: match[1] + "reports" + query(chosen), children: "Share as report" })];
  }

  window.perfatlasLens = {
    parse: parse,
    current: function () {
      return parse(window.location.search);
    },
    // Merges a change into the lens; null or "" removes.
    merge: function (change) {
      set(Object.assign(parse(window.location.search), change));
    },
  };

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    lens: {
      read: function (_pathname, _search, current) {
        var next = parse(window.location.search);
        return current && same(next, current) ? window.dash_clientside.no_update : next;
      },
      write: function (data) {
        if (data) {
          var now = parse(window.location.search);
          if (!same(now, data)) {
            var moved = query(now, CARRIED) !== query(data, CARRIED);
            var href = window.location.pathname + query(data) + window.location.hash;
            window.history[moved ? "pushState" : "replaceState"](window.history.state, "", href);
          }
        }
        return window.dash_clientside.no_update;
      },
      chips: function (data, pathname, title) {
        var names = CARRIED.filter((name) => (data || {})[name]);
        var acts = title === "" ? [] : actions(data || {}, pathname || "");
        return atRest(names.map((name) => chip(name, data[name])).concat(acts));
      },
      nothing: function () {
        return null;
      },
      // That a job was sent is not said of one that was cancelled since.
      unsaid: function (wake) {
        return String(wake).startsWith("cancel") ? null : window.dash_clientside.no_update;
      },
      navigation: function (pathname, data, sections) {
        var match = /^\/app\/s\/([^/]+)(?:\/([^/]*))?/.exec(pathname || "");
        if (!match) return [];
        // On a narrow screen the navigation is one line that scrolls.
        window.setTimeout(() => {
          var here = document.querySelector(".nav-link-here");
          if (here) here.parentElement.scrollLeft = here.offsetLeft - (here.parentElement.clientWidth - here.offsetWidth) / 2;
        }, 50);
        return atRest(sections.map(function (section) {
          var here = section.section === (match[2] || "");
          var props = {
            className: here ? "nav-link nav-link-here" : "nav-link",
            href: section.href || "/app/s/" + match[1] + "/" + section.section + query(data || {}, CARRIED),
            children: [
              el("Span", { className: "icon icon-" + (section.section || "overview"), "aria-hidden": "true" }),
              el("Span", { children: section.title }),
            ],
          };
          if (here) props["aria-current"] = "page";
          return el("A", props);
        }));
      },
      slug: function (pathname, current) {
        var match = /^\/app\/s\/([^/]+)/.exec(pathname || "");
        var slug = match ? decodeURIComponent(match[1]) : "";
        return slug === current ? window.dash_clientside.no_update : slug;
      },
    },
  });

  document.addEventListener("click", function (event) {
    var drop = event.target.closest("[data-lens-drop]");
    if (drop) {
      var change = {};
      change[drop.getAttribute("data-lens-drop")] = null;
      window.perfatlasPress(drop, () => window.perfatlasLens.merge(change));
    }
  });
})();
