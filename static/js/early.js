// Asks for the frame of the explorer, then for the page in it, while its libraries are still loading; `session.js` hands the
// answers to Dash.
(function () {
  "use strict";
  var asked = (window.perfatlasEarly = {});

  function keep(what, answer) {
    asked[what] = answer;
    // Who takes the answer is told what became of it.
    answer.catch(function () {});
    return answer;
  }

  var frame = ["/app/_dash-layout", "/app/_dash-dependencies"].map(function (address) {
    return keep(address, window.fetch(address, { credentials: "same-origin" }));
  });

  // What Dash asks of `routes.show` first, to the letter: otherwise it asks by itself.
  var page = JSON.stringify({
    output: "..content.children...title.data...problem.children..",
    outputs: [
      { id: "content", property: "children" },
      { id: "title", property: "data" },
      { id: "problem", property: "children" },
    ],
    inputs: [{ id: "address", property: "pathname", value: window.location.pathname }],
    changedPropIds: ["address.pathname"],
    parsedChangedPropsIds: ["address.pathname"],
    state: [{ id: "address", property: "search", value: window.location.search }],
  });
  keep(
    page,
    // Not before the frame is here: the server would make all of it at once, and the frame is wanted first.
    Promise.all(frame).then(function () {
      var token = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie);
      return window.fetch("/app/_dash-update-component", {
        method: "POST",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json", "X-CSRFToken": token ? token[1] : "" },
        body: page,
      });
    })
  );
})();
