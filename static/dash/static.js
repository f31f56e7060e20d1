// Draws a tree of plain elements as one component of Dash: `components/static.py` says why.
(function () {
  "use strict";
  var ADDRESSES = ["href", "src", "action", "formAction", "data"];
  function draw(part, key) {
    if (Array.isArray(part)) return part.map(draw);
    if (part === null || typeof part !== "object") return part;
    var props = Object.assign({ key: key }, part.props);
    var inside = props.children;
    delete props.children;
    // As Dash does: an address that is a script leads nowhere.
    ADDRESSES.forEach((name) => props[name] && (props[name] = window.dash_clientside.clean_url(props[name])));
    // Several children by themselves: React then knows them by their place, as Dash does.
    var given = Array.isArray(inside) ? inside : inside === undefined || inside === null ? [] : [inside];
    return window.React.createElement(part.type.toLowerCase(), props, ...given.map(draw));
  }

  window.perfatlas = {
    Static: function (props) {
      return draw(props.tree);
    },
  };
})();
