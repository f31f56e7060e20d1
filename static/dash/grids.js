// The library of tables that sort and filter, more than a third of all library code, is loaded where the first of them is drawn.
(function () {
  "use strict";
  var real;
  // As Dash knows it: what asks for a table's interface finds it once the library is there.
  var grids = { AgGrid: AgGrid };

  Object.defineProperty(window, "dash_ag_grid", {
    get: () => grids,
    set: function (loaded) {
      // A part of the library sets again what it finds.
      if (loaded === grids) return;
      real = loaded.AgGrid;
      grids.getApi = loaded.getApi;
      grids.getApiAsync = loaded.getApiAsync;
    },
  });

  // Its place until then.
  function AgGrid(props) {
    var React = window.React;
    var [state, tell] = React.useState(real ? "loaded" : "loading");
    React.useEffect(function () {
      var isThere = true;
      function say(said) {
        if (isThere) tell(said);
      }
      if (state === "loading")
        window.perfatlasLate.load("grids").then(
          () => say("loaded"),
          () => say("failed")
        );
      return () => (isThere = false);
    }, []);
    if (state === "loaded") return React.createElement(real, props);
    var place = { id: props.id, className: props.className, style: props.style };
    if (state === "loading") return React.createElement("div", place);
    return React.createElement("div", { ...place, role: "alert" }, "The table did not load. Load the page again.");
  }
  // Dash tells such a component what was changed.
  AgGrid.dashRenderType = true;
})();
