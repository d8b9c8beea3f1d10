"use strict";
(() => {
// The same formulas and the same rounding as in Python: what is shown here is what Thresholds.at() says.
const NOTHING = "\u2013", CLOSE = 1e-9, ROUNDING = 1e-12, THOUSAND = 1000, STEPS = 200;

// A double times a whole number, to so many decimals: exact, halves to even, as Python's decimal numbers are.
function fixed(value, times, decimals) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const raw = bits.getBigUint64(0), power = Number(raw >> 52n), part = raw & ((1n << 52n) - 1n);
  let number = (power ? part | (1n << 52n) : part) * BigInt(times) * 10n ** BigInt(decimals);
  const shift = (power || 1) - 1075;
  if (shift >= 0) number <<= BigInt(shift);
  else {
    const unit = 1n << BigInt(-shift), rest = number % unit;
    number /= unit;
    if (2n * rest > unit || (2n * rest === unit && number % 2n)) number += 1n;
  }
  const digits = number.toString().padStart(decimals + 1, "0"), at = digits.length - decimals;
  return (value < 0 ? "-" : "") + digits.slice(0, at) + (decimals ? "." + digits.slice(at) : "");
}
// A rounded number says 0 (or 100%) only where it is exactly that; nearer than the last digit it is written as beyond.
function honest(value, times, decimals, most, edges) {
  for (let digits = decimals; digits <= most; digits++) {
    const shown = fixed(value, times, digits), edge = edges.find(e => Number(shown) === e);
    if (edge === undefined || value * times === edge) return shown;
  }
  const edge = edges.find(e => Number(fixed(value, times, most)) === e), step = 10 ** -most;
  return value * times > edge ? "<" + (edge + step).toFixed(most) : ">" + (edge - step).toFixed(most);
}
const RARE = [1e-2, 1e-3, 1e-4, 1e-5];  // below each of them a share has one more decimal
const share = v => honest(v, 100, 1 + RARE.filter(limit => v > 0 && v < limit).length, 6, [0, 100]) + "%";
const cost = v => honest(v, 1, 3, 7, [0]);
const grouped = s => s.replace(/^\d+/, d => d.replace(/\B(?=(\d{3})+$)/g, ","));
const cases = v => grouped(honest(v, 1, 0, 4, [0]));
const count = v => Number.isInteger(v) ? grouped(String(v)) : v > 0 && v < 0.1 ? "<0.1" : grouped(fixed(v, 1, 1));

// log of the Gamma function: shifted up to where Stirling's series has all its digits
function gammaln(z) {
  let shift = 0;
  for (; z < 12; z++) shift -= Math.log(z);
  const s = 1 / (z * z);
  return shift + (z - 0.5) * Math.log(z) - z + 0.91893853320467274178 + (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - s / 1188) * s) * s) * s) / z;
}
// P(Beta(a, b) <= x), by the continued fraction on the side where it converges (Lentz)
function beta(a, b, x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta(b, a, 1 - x);
  const front = Math.exp(gammaln(a + b) - gammaln(a) - gammaln(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  const tiny = 1e-300, kept = v => Math.abs(v) < tiny ? tiny : v;
  let c = 1, d = 1 / kept(1 - (a + b) * x / (a + 1)), h = d;
  for (let m = 1; m < 1e5; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept(1 + even * d); c = kept(1 + even / c); h *= d * c;
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept(1 + odd * d); c = kept(1 + odd / c);
    const step = d * c;
    h *= step;
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return front * h;
}
// Mid-P interval of a proportion: halved between the share and the end until nothing is left to halve
function root(rising, low, high) {
  for (let i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle; else high = middle;
  }
  return (low + high) / 2;
}
function midp(hits, trials, tail) {
  if (trials <= 0) return [0, 1];
  const missed = Math.max(trials - hits, 0), share = hits / trials;
  const least = p => (beta(hits, missed + 1, p) + (missed > 0 ? beta(hits + 1, missed, p) : 0)) / 2 - tail;
  const most = p => (beta(missed, hits + 1, p) + (hits > 0 ? beta(missed + 1, hits, p) : 0)) / 2 - tail;
  return [hits > 0 ? root(least, 0, share) : 0, missed > 0 ? 1 - root(most, 0, 1 - share) : 1];
}
function rate(hits, of, worth, tail) {
  const share = hits / of;
  return [share, ...midp(share * worth, worth, tail)];
}
// Of calls at the prevalence of the cases: a plain share
const among = (right, wrong, scale, tail) =>
  right + wrong > 0 ? [right / (right + wrong), ...midp(right * scale, (right + wrong) * scale, tail)] : null;
const turned = r => [1 - r[0], 1 - r[2], 1 - r[1]];
function ratio([first, low, high], [second, least, most]) {
  const product = first * second, rise = low * (2 * first - low), fall = high * (2 * first - high);
  const wide = most * (2 * second - most), narrow = least * (2 * second - least);
  const below = product + Math.sqrt(Math.max(product * product - rise * wide, 0));
  const above = product + Math.sqrt(Math.max(product * product - fall * narrow, 0));
  return [below > 0 ? rise / below : 0, narrow > 0 ? above / narrow : Infinity];
}
function predictive(hits, alarms, prevalence) {
  const right = prevalence * hits[0], wrong = (1 - prevalence) * alarms[0];
  if (!(right + wrong > 0)) return null;
  const at = r => r === Infinity ? 1 : prevalence * r > 0 ? prevalence * r / (prevalence * r + (1 - prevalence)) : 0;
  const value = right / (right + wrong), [low, high] = ratio(hits, alarms).map(at);
  return [value, Math.min(low, value), Math.max(high, value)];
}
const dear = (hit, clear, each) => each[0] * (1 - hit) + each[1] * (1 - clear);
function costs(hit, clear, each) {
  const value = dear(hit[0], clear[0], each);
  const far = (h, c) => Math.sqrt((each[0] * h) ** 2 + (each[1] * c) ** 2);
  return [value, Math.max(value - far(hit[2] - hit[0], clear[2] - clear[0]), 0), value + far(hit[0] - hit[1], clear[0] - clear[1])];
}
function cheapest(own, prevalence, miss, alarm) {
  const hits = own.hull.found.map(v => v / own.cases), alarms = own.hull.alarms.map(v => v / own.others);
  const all = hits.map((h, i) => prevalence * miss * (1 - h) + (1 - prevalence) * alarm * alarms[i]);
  const most = Math.min(...all) + ROUNDING * (miss + alarm);
  let best = -1;
  all.forEach((c, i) => { if (c <= most && (best < 0 || hits[i] - alarms[i] > hits[best] - alarms[best])) best = i; });
  return best;
}

function start(box) {
  const known = JSON.parse(box.querySelector("script.data").textContent), form = box.querySelector("form");
  const inputs = Object.fromEntries(["of", "threshold", "prevalence", "cost"].map(n => [n, form.querySelector(`[name=${n}]`)]));
  const drawn = Object.fromEntries(["roc", "band", "here", "best", "decided", "equal", "down", "across"]
    .map(n => [n, box.querySelector(`svg .${n}:not(.key-mark)`)]));
  const first = { roc: drawn.roc.getAttribute("d"), band: drawn.band.getAttribute("d") }, f = known.frame;
  const place = (x, y) => [(f.left + x * (f.right - f.left)).toFixed(2), (f.bottom - y * (f.bottom - f.top)).toFixed(2)];
  const path = points => "M" + points.map(p => place(...p).join(" ")).join("L");
  const verdict = (box.closest(".part") || document).querySelector(".verdict"), moved = document.createElement("p");
  moved.className = "what-if";  // what the sliders say, below the headline of the page once one was moved
  moved.hidden = true;
  if (verdict) verdict.append(moved);
  let own, shares;

  const put = (name, text) => box.querySelectorAll(`[data-is=${name}]`).forEach(e => { if (e.textContent !== text) e.textContent = text; });
  const set = (shape, given) => { for (const name in given) shape.setAttribute(name, given[name]); };
  const dot = (shape, x, y) => { const [cx, cy] = place(x, y); set(shape, { cx, cy }); };
  const line = (shape, a, b) => { const [x1, y1] = place(...a), [x2, y2] = place(...b); set(shape, { x1, y1, x2, y2 }); };
  const words = i => own.words ? own.words[i] : i > STEPS ? "none positive" : fixed(i / STEPS, 100, 1) + "%";

  function outline() {  // the curve and its band, from the thresholds that the slider knows
    const points = own.found.map((v, i) => [own.alarms[i] / own.others, v / own.cases]).reverse(), [ex, ey] = own.margins;
    points.push([1, 1]);
    const clip = v => Math.min(1, Math.max(0, v)), low = [], high = [];
    points.forEach(([x, y], i) => {
      const after = points[Math.min(i + 1, points.length - 1)], before = points[Math.max(i - 1, 0)];
      high.push([clip(x - ex), clip(before[1] + ey)], [clip(x - ex), clip(y + ey)]);
      low.push([clip(x + ex), clip(y - ey)], [clip(x + ex), clip(after[1] - ey)]);
    });
    return { roc: path(points), band: path([[0, 0], ...low, [1, clip(1 - ey)], [1, 1], ...high.reverse(), [0, clip(ey)]]) };
  }
  function equal(x, y, rise) {
    const inside = v => v >= -CLOSE && v <= 1 + CLOSE;
    const ends = [[0, y - rise * x], [1, y + rise * (1 - x)], [x - y / rise, 0], [x + (1 - y) / rise, 1]];
    const within = ends.filter(e => e.every(inside)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    line(drawn.equal, ...(within.length ? [within[0], within[within.length - 1]] : [[x, y], [x, y]]));
  }
  function use() {
    const [miss, alarm, paid] = known.costs[Number(inputs.cost.value)];
    return { prevalence: shares[Number(inputs.prevalence.value)], miss, alarm, paid };
  }
  function update() {
    const i = Number(inputs.threshold.value), { prevalence, miss, alarm, paid } = use(), found = own.found[i], alarms = own.alarms[i];
    const hit = rate(found, own.cases, own.worth[0], known.tail);
    const clear = rate(own.others - alarms, own.others, own.worth[1], known.tail);
    const plain = prevalence === own.cases / (own.cases + own.others) && !known.weighted;
    const ppv = plain ? among(found, alarms, own.scale, known.tail) : predictive(hit, turned(clear), prevalence);
    const npv = plain ? among(own.others - alarms, own.cases - found, own.scale, known.tail) : predictive(clear, turned(hit), 1 - prevalence);
    const each = [prevalence * miss, (1 - prevalence) * alarm], mean = costs(hit, clear, each);
    const b = cheapest(own, prevalence, miss, alarm), best = [own.hull.alarms[b] / own.others, own.hull.found[b] / own.cases];
    const least = cost(dear(best[1], (own.others - own.hull.alarms[b]) / own.others, each));
    const yes = THOUSAND * prevalence, no = THOUSAND * (1 - prevalence);
    const file = { found, missed: own.cases - found, alarms, left: own.others - alarms };
    const of = { found: yes * hit[0], missed: yes * (1 - hit[0]), alarms: no * (1 - clear[0]), left: no * clear[0] };
    for (const what in file) { put(what, count(file[what])); put(what + "-of", cases(of[what])); }
    for (const [what, r] of Object.entries({ sensitivity: hit, specificity: clear, ppv, npv })) {
      put(what, r ? share(r[0]) : NOTHING);
      put(what + "-interval", r ? `${share(r[1])} to ${share(r[2])}` : NOTHING);
    }
    put("expected", cost(mean[0]));
    put("expected-interval", `${cost(mean[1])} to ${cost(mean[2])}`);
    put("least", least);
    put("without", cost(Math.min(...each)));
    put("name", own.name);
    const told = { threshold: words(i), prevalence: share(prevalence), cost: paid };
    for (const name in told) { put(name, told[name]); inputs[name].setAttribute("aria-valuetext", told[name]); }
    const headline = `Threshold ${words(i)}: finds ${count(found)} of ${count(own.cases)} (${share(hit[0])}) with ${count(alarms)} false alarms; `
      + `precision ${ppv ? share(ppv[0]) : NOTHING} at a prevalence of ${share(prevalence)}; a case costs ${cost(mean[0])}.`;
    put("headline", headline);
    if (!moved.hidden) moved.textContent = `As the sliders are set, class ${own.name.replace(/^class /, "")}: ${headline}`;
    const call = ppv ? `A positive prediction is correct in ${share(ppv[0])}` : "No case is predicted positive";
    const rest = npv ? `a negative one in ${share(npv[0])}` : "every case is predicted positive";
    put("sentence", `Of 1,000 cases with ${share(prevalence)} of ${own.name.startsWith("class ") ? "" : "class "}${own.name}: ${cases(of.found)} true positives, ${cases(of.missed)} false negatives (missed), `
      + `${cases(of.alarms)} false positives. ${call}, ${rest}; a miss costing ${paid.replace(" : ", " and a false alarm ")}, a case costs ${cost(mean[0])} on average, at least ${least} `
      + `(threshold: ${own.hull.words[b]}).`);
    const x = alarms / own.others, y = found / own.cases;
    dot(drawn.here, x, y);
    dot(drawn.best, ...best);
    line(drawn.down, [x, y], [x, 0]);
    line(drawn.across, [x, y], [0, y]);
    equal(x, y, (1 - prevalence) * alarm / (prevalence * miss));
  }
  function choose() {
    own = known.classes[inputs.of ? Number(inputs.of.value) : 0];
    const share = own.cases / (own.cases + own.others);
    const asked = own.prevalence === null ? share : own.prevalence;
    shares = [...new Set([...known.prevalences, share, asked])].sort((a, b) => a - b);
    inputs.threshold.max = own.found.length - 1;
    inputs.prevalence.max = shares.length - 1;
    inputs.threshold.value = own.start;
    inputs.prevalence.value = shares.indexOf(asked);
    const same = !inputs.of || inputs.of.value === "0", shape = same ? first : outline();
    set(drawn.roc, { d: shape.roc });
    set(drawn.band, { d: shape.band });
    if (drawn.decided && own.decided) {
      const [cx, cy] = place(own.decided[1] / own.others, own.decided[0] / own.cases).map(Number), s = 8;
      set(drawn.decided, { d: `M${cx - s} ${cy - s}h${2 * s}v${2 * s}h${-2 * s}z` });
    }
    update();
  }
  form.addEventListener("input", e => { moved.hidden = false; if (e.target !== inputs.of) update(); });
  form.addEventListener("submit", e => e.preventDefault());
  if (inputs.of) inputs.of.addEventListener("change", choose);
  form.querySelector("button").addEventListener("click", () => { inputs.cost.value = known.cost; choose(); moved.hidden = true; });
  inputs.cost.min = 0;
  inputs.cost.max = known.costs.length - 1;
  if (inputs.of) inputs.of.value = "0";  // a page that is loaded anew may remember where its controls were
  inputs.cost.value = known.cost;
  choose();
  form.hidden = false;
}
document.querySelectorAll(".sliders").forEach(start);
})();
