// What a configuration takes by the model that a report keeps: set by hand, predicted here, and no server is asked.
(function () {
  "use strict";
  const GAP = "\u00a0", THIN = "\u202f", MINUS = "\u2212", PLUS_MINUS = GAP + "±" + GAP;
  const IMPOSSIBLE = ": below zero, so these influences do not add up here, and only a measurement tells it";
  const FEW = 5; // levels that stand side by side

  // The value and half the width of its 95 % interval, null where nothing tells it; null alone where nothing is known.
  function predict(model, sizes, levels) {
    const found = model.terms.length ? ofTerms(model, levels) : ofGroups(model, sizes, levels);
    return found && model.is_never_negative ? neverNegative(found) : found;
  }

  function neverNegative({ value, margin, ends = null }) {
    if (margin === null || margin <= value || value < 0) return { value, margin, ends };
    return { value, margin: null, ends: [0, value + margin] };
  }

  function ofTerms(model, levels) {
    const on = model.terms.filter((term) => term.levels.every(([option, level]) => levels[option] === level));
    const moved = model.terms[0].free.map((_, column) => on.reduce((sum, term) => sum + term.free[column], 0));
    if (moved.some((one) => Math.abs(one) > 1e-8 * Math.max(on.length, 1))) return null;
    const sum = on.reduce((before, term) => before + term.coefficient, 0);
    if (!model.is_multiplicative) return { value: sum, margin: model.margin };
    const value = Math.exp(sum);
    // The interval reaches as far by a factor: further above than below.
    const ends = model.margin === null ? null : [value * Math.exp(-model.margin), value * Math.exp(model.margin)];
    return { value, margin: null, ends };
  }

  function ofGroups(model, sizes, levels) {
    const cells = model.groups.map(
      (group) => group.cells[group.options.reduce((at, option) => at * sizes[option] + levels[option], 0)]);
    const values = model.groups.map((group, at) => group.values[cells[at]]);
    if (values.includes(null)) return null;
    const value = values.reduce((sum, one) => sum + one, 0);
    if (!model.groups.every((group, at) => group.is_noise_known[cells[at]])) return { value, margin: null };
    // A run is slow in all its regions alike: what it moves is summed over them first.
    let variance = 0, fourths = 0;
    model.repetitions.forEach((count, run) => {
      const near = model.groups.filter((group, at) => group.assigned[run] === cells[at]);
      if (!near.length) return;
      const own = near[0].residuals[run]
        .map((_, turn) => near.reduce((sum, group) => sum + group.residuals[run][turn], 0))
        .reduce((sum, one) => sum + one * one, 0);
      variance += own;
      fourths += own * own / Math.max(count - 1, 1);
    });
    if (variance === 0) return { value, margin: 0 };
    return { value, margin: quantile(model.quantiles, fourths / (variance * variance)) * Math.sqrt(variance) };
  }

  // Between two of the degrees of freedom that are told; `share` is 1 / df.
  function quantile(told, share) {
    const place = Math.min(share, 1) * (told.length - 1);
    const below = Math.min(Math.floor(place), told.length - 2);
    return told[below] + (place - below) * (told[below + 1] - told[below]);
  }

  function isValid(kept, levels) {
    return kept.order.reduce(
      (node, option, layer) => (node < kept.layers[layer].length ? kept.layers[layer][node][levels[option]] : Infinity),
      0) === 0;
  }

  // As the pages write numbers: digits by certainty, a unit that fits.
  function scaled(largest, scales) {
    if (!largest) return scales[0];
    return scales.find(([, factor]) => largest * factor >= 0.9995) || scales[scales.length - 1];
  }

  function number(value, margin, scales) {
    const [unit, factor] = scaled(Math.max(Math.abs(value), margin || 0), scales);
    const shown = value * factor;
    const ending = unit ? GAP + unit : "";
    if (margin) {
      const half = margin * factor;
      const exponent = Math.floor(Math.log10(half));
      const places = Math.max(Math.min(-exponent + (half / 10 ** exponent < 1.95 ? 1 : 0), 6), -6);
      return `${fixed(shown, places)}${PLUS_MINUS}${fixed(half, places)}${ending}`;
    }
    return digits(shown, 3) + ending;
  }

  function digits(value, count) {
    const places = value ? Math.max(Math.min(count - 1 - Math.floor(Math.log10(Math.abs(value) * 1.0005)), 6), 0) : 0;
    return fixed(value, places);
  }

  // An interval that reaches further to one side: its ends and the value, with no more digits than so wide a one leaves.
  function within(value, ends, scales) {
    const [unit, factor] = scaled(value || ends[1], scales);
    const count = ends[1] > value * 1.1 ? 2 : 3;
    const ending = unit ? GAP + unit : "";
    const [low, middle, high] = [ends[0], value, ends[1]].map(
      (one) => digits(Number((one * factor).toPrecision(count)), count));
    return { value: middle + ending, interval: `${low} to ${high}${ending}` };
  }

  function fixed(value, places) {
    const step = 10 ** -places;
    const rounded = places < 0 ? Math.round(value / step) * step : Number(value.toFixed(places));
    const [whole, part] = Math.abs(rounded).toFixed(Math.max(places, 0)).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
    return (rounded < 0 ? MINUS : "") + grouped + (part ? `.${part}` : "");
  }

  function made(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  function words(kept, levels) {
    const parts = kept.options
      .map((option, at) => (levels[at] ? `${option.name} ${option.levels[levels[at]]}` : ""))
      .filter(Boolean);
    return parts.length ? `with ${parts.join(", ")}` : "by default";
  }

  function tell(kept, levels, output) {
    const sizes = kept.options.map((option) => option.levels.length);
    const said = output.querySelector("strong");
    const interval = output.querySelector("span");
    const found = isValid(kept, levels) ? predict(kept.model, sizes, levels) : undefined;
    output.dataset.value = found ? found.value : "";
    output.dataset.margin = found && found.margin !== null ? found.margin : "";
    interval.textContent = "";
    if (found === undefined) said.textContent = `Not valid by the feature model ${words(kept, levels)}, so nothing is predicted`;
    else if (found === null) said.textContent = `Not known ${words(kept, levels)}: nothing measured tells of it`;
    else {
      const told = found.ends ? within(found.value, found.ends, kept.scales) : null;
      const amount = told ? told.value : number(found.value, found.margin, kept.scales);
      const doubt = kept.model.is_never_negative && found.value < 0 ? IMPOSSIBLE : "";
      said.textContent = `${kept.says.replace("{}", amount)} ${words(kept, levels)}${doubt}`;
      if (told) interval.textContent = `95${GAP}% interval: ${told.interval}`;
      else if (found.margin === null) interval.textContent = "Its interval is not known: too few repetitions or configurations.";
      else {
        const scales = [scaled(Math.max(Math.abs(found.value), found.margin), kept.scales)];
        // With the digits that stand behind ±.
        const end = (value) => number(value, found.margin, [["", scales[0][1]]]).split(PLUS_MINUS)[0];
        interval.textContent = `95${GAP}% interval: ${end(found.value - found.margin)} to ${end(found.value + found.margin)}${GAP}${scales[0][0]}`.trim();
      }
    }
  }

  function option(kept, at, levels, changed) {
    const { name, levels: texts } = kept.options[at];
    if (texts.length > FEW) {
      const select = made("select", { ariaLabel: name }, ...texts.map((text, level) => new Option(text, level)));
      select.addEventListener("change", () => { levels[at] = Number(select.value); changed(); });
      return { element: select, show: () => { select.value = levels[at]; } };
    }
    const buttons = texts.map((text, level) => {
      const button = made("button", { type: "button", ariaLabel: `${name}: ${text}` }, text);
      button.addEventListener("click", () => { levels[at] = level; changed(); });
      return button;
    });
    const element = made("span", {}, ...buttons);
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", name);
    return { element, show: () => buttons.forEach((one, level) => one.setAttribute("aria-pressed", level === levels[at])) };
  }

  function build(place, kept) {
    const levels = [...kept.start];
    const output = made("p", { className: "what-if-said" }, made("strong", {}), made("span", {}));
    output.setAttribute("aria-live", "polite");
    const lines = [];
    const changed = () => {
      lines.forEach((line) => line.show());
      tell(kept, levels, output);
    };
    const rows = kept.options.flatMap((one, at) => {
      if (!one.is_varied) return [];
      const line = option(kept, at, levels, changed);
      lines.push(line);
      return [made("div", {}, made("span", {}, one.name), line.element)];
    });
    const back = made("button", { type: "button" }, "Back to where it began");
    back.addEventListener("click", () => { levels.splice(0, levels.length, ...kept.start); changed(); });
    place.append(made("h2", {}, "What if?"), output, made("div", { className: "what-if-options" }, ...rows, back));
    changed();
    place.hidden = false;
  }

  const kept = JSON.parse(document.getElementById("what-ifs").textContent);
  document.querySelectorAll("[data-what-if]").forEach((place) => {
    const view = kept.views[Number(place.dataset.whatIf)];
    build(place, { ...view, model: kept.models[view.model] });
  });
})();
