// The library of tables that sort and filter, more than a third of all library code, is loaded where the first of them is drawn.
(function () {
  "use strict";
  var loading;
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

  function load() {
    loading =
      loading ||
      new Promise(function (resolve, reject) {
        var script = document.createElement("script");
        script.src = window.perfatlasLate.grids;
        script.onload = resolve;
        script.onerror = function () {
          // Asked again by the next table: a connection may be back.
          loading = undefined;
          reject(new Error("the library of tables did not load"));
        };
        document.head.appendChild(script);
      });
    return loading;
  }

  // Its place until then.
  function AgGrid(props) {
    var React = window.React;
    var [isLoaded, tell] = React.useState(Boolean(real));
    React.useEffect(function () {
      var isThere = true;
      if (!isLoaded) load().then(() => isThere && tell(true));
      return () => (isThere = false);
    }, []);
    if (isLoaded) return React.createElement(real, props);
    return React.createElement("div", { id: props.id, className: props.className, style: props.style });
  }
  // Dash tells such a component what was changed.
  AgGrid.dashRenderType = true;
})();
