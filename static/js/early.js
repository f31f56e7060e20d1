// Asks for the frame of the explorer while its libraries are still loading; `session.js` hands the answers to Dash.
(function () {
  "use strict";
  var asked = (window.perfatlasEarly = {});
  ["/app/_dash-layout", "/app/_dash-dependencies"].forEach(function (address) {
    asked[address] = window.fetch(address, { credentials: "same-origin" });
    // Who takes the answer is told what became of it.
    asked[address].catch(function () {});
  });
})();
