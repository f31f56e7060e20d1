// Saves figures as PNG and SVG, figures' numbers and tables as CSV. Nothing leaves the browser.
(function () {
  "use strict";
  var WIDTH = 960;
  var LETTERS = 110;
  var MOST_MS = 5000;
  // What a cell begins with that a spreadsheet takes for a formula: as in the tables of reports.
  var FORMULA = /^[=+\-@\t\r]/;

  function cell(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
    var text = FORMULA.test(value) ? "'" + value : String(value);
    return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  }

  function csv(rows) {
    return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
  }

  // The words of a cell, one space between them; a picture without words beside it is told by its name, a menu by its button.
  function words(node, named) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(".menu-panel, .visually-hidden, dialog")) return "";
    if (node.getAttribute("role") === "img") return (named && node.getAttribute("aria-label")) || "";
    if (node.matches("input")) return "";
    return Array.from(node.childNodes, (one) => words(one, named)).join(" ");
  }

  function text(node) {
    return (words(node).trim() ? words(node) : words(node, true)).replace(/[\s\u00a0\u202f]+/g, " ").replace(/ ([,;:.)])/g, "$1").replace(/\( /g, "(").trim();
  }

  // A column of exact numbers: its unit stands in the head, or, where rows differ in it, in a column of its own.
  function plain(tables) {
    var heads = Array.from(tables[0].querySelectorAll("thead th"), text);
    var body = [];
    tables.forEach((table) => body.push(...Array.from(table.tBodies[0].rows, (row) => Array.from(row.cells))));
    var rows = [[]].concat(body.map(() => []));
    heads.forEach(function (head, at) {
      var cells = body.map((row) => row[at]);
      var exact = cells.map((one) => one && one.matches(".cell-number") && one.querySelector("data[value]"));
      var units = exact.map((one) => (one ? one.getAttribute("data-unit") : ""));
      var named = Array.from(new Set(units.filter((unit) => unit)));
      var values = cells.map((one, row) => (exact[row] ? Number(exact[row].value) : one ? text(one) : ""));
      // A column of ticks has neither.
      if (!head && !values.some((value) => value !== "")) return;
      rows[0].push(named.length === 1 && !head.endsWith(", " + named[0]) ? head + ", " + named[0] : head);
      values.forEach((value, row) => rows[row + 1].push(value === "–" ? "" : value));
      if (named.length < 2) return;
      rows[0].push(head + ", unit");
      units.forEach((unit, row) => rows[row + 1].push(unit));
    });
    return csv(rows);
  }

  // The grid's own export: all rows as they are sorted and filtered, numbers as they were sent.
  function grid(element) {
    return window.dash_ag_grid.getApi(element.id).getDataAsCsv({
      suppressQuotes: true,
      allColumns: true,
      processCellCallback: (params) => cell(params.value),
      processHeaderCallback: (params) => cell(params.column.getColDef().headerName),
    }).replace(/\r\n/g, "\n") + "\n";
  }

  // A figure without a table: each of its marks.
  function traces(graph) {
    var axis = (name) => (((graph.layout[name] || {}).title || {}).text || name[0]);
    var rows = [["trace", axis("xaxis"), axis("yaxis")]];
    graph.data.forEach(function (trace) {
      Array.from(trace.x || []).forEach((x, at) => rows.push([trace.name || "", x, trace.y[at]]));
    });
    return csv(rows);
  }

  function ready(twin) {
    var found = twin.querySelector(".grid");
    if (!found) return twin.querySelector("table") !== null;
    return found.querySelector(".ag-root") !== null && Boolean(window.dash_ag_grid.getApi(found.id));
  }

  function numbers(scope) {
    var found = scope.querySelector(".grid");
    if (found) return grid(found);
    var tables = scope.querySelectorAll("table.plain-table");
    return tables.length ? plain(Array.from(tables)) : "";
  }

  // A copy in light colours; numbers that plotly keeps packed become plain ones.
  function copy(value, colours) {
    if (ArrayBuffer.isView(value)) return Array.from(value);
    if (Array.isArray(value)) return value.map((one) => copy(one, colours));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copy(one, colours)]));
    }
    if (typeof value !== "string" || !colours) return value;
    return value.replace(/#[0-9a-f]{6}|rgba\([^)]*\)/g, (colour) => colours[colour] || colour);
  }

  function lines(said) {
    var broken = [""];
    said.split(" ").forEach(function (word) {
      var last = broken[broken.length - 1];
      if (last && last.length + word.length > LETTERS) broken.push(word);
      else broken[broken.length - 1] = last ? last + " " + word : word;
    });
    return broken.map((line) => line.replace(/&/g, "&amp;").replace(/</g, "&lt;"));
  }

  function picture(graph, title, axes) {
    var colours = document.getElementById("light-colours");
    var dark = document.documentElement.getAttribute("data-mantine-color-scheme") === "dark";
    var map = dark ? JSON.parse(colours.getAttribute("data-colours")) : null;
    var data = copy(graph.data, map);
    var layout = copy(graph.layout, map);
    var first = lines(title);
    var second = axes ? lines(axes) : [];
    var above = 20 * first.length + 16 * second.length + 32;
    var margin = Object.assign({ l: 8, r: 16, t: 8, b: 8 }, layout.margin);
    var height = graph._fullLayout.height;
    layout.height = height + above;
    layout.width = Math.max(WIDTH, (graph.layout.width || 0));
    layout.margin = Object.assign(margin, { t: margin.t + above, l: Math.max(margin.l, 16), r: Math.max(margin.r, 16) });
    layout.paper_bgcolor = layout.plot_bgcolor = "#ffffff";
    layout.title = {
      text: "<b>" + first.join("<br>") + "</b>",
      subtitle: { text: second.join("<br>"), font: { size: 12 } },
      font: { size: 14 },
      x: 0,
      xanchor: "left",
      xref: "container",
      pad: { l: 16, t: 16 },
      y: 1,
      yanchor: "top",
      yref: "container",
    };
    Object.keys(layout).forEach(function (name) {
      if (/^xaxis/.test(name) && layout[name].rangeslider) layout[name].rangeslider.visible = false;
    });
    return { data: data, layout: layout };
  }

  function clean(name) {
    // Commits by the beginning of their hashes.
    name = name.replace(/\b([0-9a-f]{10})[0-9a-f]{30}\b/g, "$1");
    return name.replace(/[^\w.+-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  }

  // System, what and revision: markdown-influences-terms-3.10.1.csv
  function named(scope, part, ending) {
    var match = /^\/app\/s\/([^/]+)\/?([^/]*)/.exec(window.location.pathname) || ["", "perfatlas", ""];
    var lens = new URLSearchParams(window.location.search);
    var marked = scope.matches("[data-revision]") ? scope : scope.querySelector("[data-revision]");
    marked = marked || document.querySelector("#page [data-revision]");
    var revision = marked ? marked.getAttribute("data-revision") : "";
    if (!revision) revision = [lens.get("since"), lens.get("revision")].filter(Boolean).join("-");
    var section = decodeURIComponent(match[2]) || "overview";
    // The parts of a page are often named for it.
    var what = part.indexOf(section) === 0 ? part : section + "-" + part;
    return [decodeURIComponent(match[1]), what, revision].map(clean).filter(Boolean).join("-") + "." + ending;
  }

  function download(href, name) {
    var link = document.createElement("a");
    link.href = href;
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
  }

  function file(content, type, name) {
    var address = URL.createObjectURL(new Blob([content], { type: type }));
    download(address, name);
    window.setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  function part(scope) {
    if (scope.id) return scope.id;
    // Small figures in one card are told apart by what each shows.
    var own = scope.querySelector("figcaption .link");
    if (own) return own.textContent.replace(/ × /g, "*");
    var caption = scope.querySelector("caption");
    var head = scope.closest(".card") && scope.closest(".card").querySelector("h2");
    var grid = scope.querySelector(".grid");
    return scope.getAttribute("data-name") || (caption || head || {}).textContent || (grid ? grid.id : "table");
  }

  function write(kind, scope) {
    var graph = scope.querySelector(".js-plotly-plot");
    var name = named(scope, part(scope), kind);
    if (kind === "csv") {
      var content = numbers(scope.querySelector(".figure-twin") || scope) || (graph ? traces(graph) : "");
      // A mark of byte order: spreadsheets then read it as UTF-8.
      file("\ufeff" + content, "text/csv;charset=utf-8", name);
      return;
    }
    var finding = scope.querySelector(".figure-finding, figcaption .link");
    var axes = scope.querySelector(".figure-axes, figcaption .quiet");
    var shown = picture(graph, finding ? text(finding) : "", axes ? text(axes) : "");
    var size = { format: kind, width: shown.layout.width, height: shown.layout.height, scale: kind === "png" ? 2 : 1 };
    window.Plotly.toImage(shown, size).then((address) => download(address, name));
  }

  // The numbers, which also tell the revision, are drawn first where nobody looked at them.
  function save(kind, scope) {
    var twin = scope.querySelector(".figure-twin[data-holds=true]");
    if (!twin) return write(kind, scope);
    var begun = Date.now();
    scope.dispatchEvent(new Event("twin"));
    window.requestAnimationFrame(function once() {
      var waits = !ready(twin) && Date.now() - begun < MOST_MS;
      return waits ? window.requestAnimationFrame(once) : write(kind, scope);
    });
  }

  // What there is nothing of yet cannot be saved.
  document.addEventListener("toggle", function (event) {
    var menu = event.target;
    if (!menu.open || !menu.querySelector(".save-button")) return;
    var scope = menu.closest(".figure-card, .small-figure");
    var graph = scope.querySelector(".js-plotly-plot");
    var drawn = Boolean(graph && graph.data && graph.data.length);
    menu.querySelectorAll("[data-save]").forEach(function (item) {
      var wanted = item.getAttribute("data-save") === "csv" && scope.querySelector("[data-holds=true]");
      item.disabled = !(drawn || wanted);
    });
  }, true);

  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-save]");
    if (button) save(button.getAttribute("data-save"), button.closest(".figure-card, .small-figure, .saved"));
  });
})();
