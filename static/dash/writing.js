// What stands in the form of a report at this moment, also what was typed a breath ago.
(function () {
  "use strict";
  function typed(id) {
    return document.getElementById(id).value;
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    writing: {
      asked: function (clicks) {
        if (!clicks) return window.dash_clientside.no_update;
        return { title: typed("report-title"), text: typed("report-text"), clicks: clicks };
      },
      // What was said of one text is not said of the next.
      said: function (text, asked) {
        return asked && asked.text === (text || "") ? window.dash_clientside.no_update : null;
      },
    },
  });
})();
