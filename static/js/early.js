// Asks for the frame of the explorer and for the page's content while the libraries are still loading; `session.js` hands the answers
// to Dash when it asks the same. What the content is drawn with is loaded as soon as that is known.
(function () {
  "use strict";
  var own = document.currentScript.dataset;
  var asked = (window.perfatlasEarly = {});
  // Where libraries are that come late: the one that draws the first figures, the whole chart library, that of tables.
  var late = (window.perfatlasLate = { first: own.first, whole: own.whole, grids: own.grids });
  var loading = {};

  // Loads one of them once; after a failure again when it is asked for again: a connection may be back.
  late.load = function (name) {
    loading[name] =
      loading[name] ||
      new Promise(function (resolve, reject) {
        var script = document.createElement("script");
        script.src = late[name];
        script.onload = resolve;
        script.onerror = function () {
          delete loading[name];
          reject(new Error("a library did not load: " + script.src));
        };
        document.head.appendChild(script);
      });
    return loading[name];
  };

  // Dash's libraries wait in one place by a generator as an old compiler writes it, step by step.
  window.regeneratorRuntime = {
    mark: (made) => made,
    wrap: function (step) {
      var at = { prev: 0, next: 0, isDone: false, stop: () => void (at.isDone = true) };
      return {
        next: () => ({ value: step(at), done: at.isDone }),
        throw: function (error) {
          throw error;
        },
      };
    },
  };

  function ask(key, address, options) {
    asked[key] = window.fetch(address, Object.assign({ credentials: "same-origin" }, options));
    // Who takes the answer is told what became of it.
    asked[key].catch(function () {});
    return asked[key];
  }

  function preload(address) {
    if (!address) return;
    var link = document.createElement("link");
    link.rel = "preload";
    link.as = "script";
    link.href = address;
    document.head.appendChild(link);
  }

  function one(id, property, value) {
    return value === undefined ? { id: id, property: property } : { id: id, property: property, value: value };
  }

  // As Dash writes it, which sends the token of forms in a header: see `routes.show`.
  function content() {
    var named = own.token + "=";
    var token = document.cookie.split("; ").find((cookie) => cookie.startsWith(named)) || named;
    var body = JSON.stringify({
      output: "..content.children...title.data...problem.children..",
      outputs: [one("content", "children"), one("title", "data"), one("problem", "children")],
      inputs: [one("address", "pathname", window.location.pathname)],
      changedPropIds: ["address.pathname"],
      parsedChangedPropsIds: ["address.pathname"],
      state: [one("address", "search", window.location.search)],
    });
    var headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": token.slice(named.length) };
    return ask(body, "/app/_dash-update-component", { method: "POST", headers: headers, body: body });
  }

  ["/app/_dash-layout", "/app/_dash-dependencies"].forEach((address) => ask(address, address));
  content()
    .then((answer) => (answer.ok ? answer.clone().text() : ""))
    .then(function (text) {
      if (text.includes('"type":"Graph"')) [own.graphs, own.first].forEach(preload);
      if (text.includes('"type":"AgGrid"')) preload(own.grids);
    })
    .catch(function () {});
})();
