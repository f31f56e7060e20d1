// Two components of Dash of our own; `components/static.py` says why.
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

  // The numbers of a figure: made when the card shows them, or somebody asks for them by the event `twin`.
  function FigureTable(props) {
    var React = window.React;
    var place = React.useRef(null);
    var latest = React.useRef(null);
    var [asked, ask] = React.useState(null);
    latest.current = props.children;
    React.useEffect(function () {
      var card = place.current.closest("[data-twin=card]");
      var hear = () => ask(latest.current);
      card.addEventListener("twin", hear);
      return () => card.removeEventListener("twin", hear);
    }, []);
    var shows = place.current && place.current.closest(".shows-table");
    var made = shows || asked === props.children ? props.children : null;
    var holds = Boolean(props.children);
    var own = { id: props.id, ref: place, className: "figure-twin", "data-holds": String(holds) };
    return React.createElement("div", own, made);
  }

  window.perfatlas = {
    Static: function (props) {
      return draw(props.tree);
    },
    FigureTable: FigureTable,
  };
})();
