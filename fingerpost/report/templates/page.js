"use strict";
// The chooser of routes: unfolds what fingerpost/report/routes.py has packed.

const $ = (id) => document.getElementById(id);
const networks = JSON.parse($("packed").textContent);
const NONE = 255;

const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// How many of them there are before each.
function sums(counts) {
  const before = new Uint32Array(counts.length + 1);
  counts.forEach((count, i) => { before[i + 1] = before[i] + count; });
  return before;
}

function unpack(network) {
  if (network.ready) return network;
  network.ready = true;
  network.links = new Int32Array(bytes(network.neighbour).buffer);
  network.place = new Map(network.terminals.map((node, i) => [node, i]));
  if (network.hops) {
    network.count = new Uint16Array(bytes(network.hops).buffer);
    network.start = sums(network.count);
    network.codes = bytes(network.steps);
  } else {
    network.codes = bytes(network.table);
  }
  if (network.sent) {
    network.sentBytes = bytes(network.sent);
    network.headerBytes = bytes(network.headers);
  }
  network.byName = new Map((network.names ?? []).map((name, node) => [name.replace(/\s/g, ""), node]));
  return network;
}

const across = (network, node, port) => network.links[node * network.degree + port];
const nameOf = (network, node) => network.names ? network.names[node] : String(node);

// What the symmetry that takes node `from` to node `to` does to every node: it keeps the ports.
function symmetry(network, from, to) {
  const image = new Int32Array(network.nodes).fill(-1);
  const queue = [from];
  image[from] = to;
  for (const node of queue) {
    for (let port = 0; port < network.degree; port++) {
      const next = across(network, node, port);
      if (next >= 0 && image[next] < 0) {
        image[next] = across(network, image[node], port);
        queue.push(next);
      }
    }
  }
  return image;
}

function distance(network, from, to) {
  const far = new Int32Array(network.nodes).fill(-1);
  const queue = [from];
  far[from] = 0;
  for (const node of queue) {
    for (let port = 0; port < network.degree; port++) {
      const next = across(network, node, port);
      if (next >= 0 && far[next] < 0) { far[next] = far[node] + 1; queue.push(next); }
    }
  }
  return far[to];
}

// A word of some bytes, the lowest first.
function word(from, at, width) {
  let value = 0n;
  for (let i = width - 1; i >= 0; i--) value = value << 8n | BigInt(from[at * width + i]);
  return value;
}

function codesOf(network, from, to) {
  const size = network.terminals.length;
  if (network.way === "by destination") {
    const codes = [];
    for (let node = from; node !== to; node = across(network, node, codes.at(-1) % network.degree)) {
      const code = network.codes[node * size + network.place.get(to)];
      if (code === NONE || codes.length > network.nodes) throw new Error(`no way from ${from} to ${to}`);
      codes.push(code);
    }
    return codes;
  }
  let row = network.place.get(from), end = to;
  if (network.way === "from orbits") {
    row = network.orbit[row];
    end = symmetry(network, network.first[row], from).indexOf(to);
  }
  const pair = row * size + network.place.get(end);
  return Array.from(network.codes.subarray(network.start[pair], network.start[pair + 1]));
}

function routeOf(network, from, to) {
  const codes = codesOf(network, from, to), nodes = [from];
  const ports = codes.map((code) => code % network.degree);
  const phases = codes.map((code) => Math.floor(code / network.degree));
  for (const port of ports) nodes.push(across(network, nodes.at(-1), port));
  const route = { nodes, ports, phases, headers: null, sent: null };
  if (network.sentBytes) {
    const pair = network.place.get(from) * network.terminals.length + network.place.get(to);
    route.sent = word(network.sentBytes, pair, network.width);
    route.headers = codes.map((_, hop) =>
      word(network.headerBytes, network.start[pair] + hop, network.width));
  }
  return route;
}

const shown = (network, header) => network.fields.map((field) =>
  `${field.name}=${(header >> BigInt(field.offset)) & ((1n << BigInt(field.width)) - 1n)}`).join(", ");

function nodeOf(network, given) {
  const text = given.trim().replace(/\s/g, "");
  const node = /^\d+$/.test(text) ? Number(text) : network.byName.get(text) ?? -1;
  if (node < 0 || node >= network.nodes) {
    throw new RangeError(`There is no node ${given || "without a name"}: needs a number in 0..${network.nodes - 1}` +
      (network.names ? ` or a label such as ${network.names[0]}` : ""));
  }
  if (!network.place.has(node)) {
    throw new RangeError(`${nameOf(network, node)} has no terminal to send or receive packets`);
  }
  return node;
}

function make(tag, text, attributes = {}) {
  const svg = ["svg", "use", "path", "circle"].includes(tag);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  if (text !== null) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const both = (network, node) => {
  const name = nameOf(network, node);
  return name === String(node) ? name : `${node} (${name})`;
};

function tell(network, route) {
  const { nodes, ports, phases } = route, hops = ports.length;
  const least = distance(network, nodes[0], nodes.at(-1));
  const head = `${network.network}: ${hops} hop${hops === 1 ? "" : "s"}, shortest path ${least}`;
  $("summary").textContent = route.sent === null ? head :
    `${head}. The terminal sends ${shown(network, route.sent)}.`;
  const rows = ports.map((port, hop) => {
    const row = make("tr", null, { class: `phase-${phases[hop] % 4}` });
    row.append(make("th", hop + 1, { scope: "row" }));
    const phase = make("td", null);
    phase.append(make("span", "", { class: "mark" }), network.phases[phases[hop]]);
    row.append(phase, make("td", both(network, nodes[hop])), make("td", network.ports[port]),
      make("td", both(network, nodes[hop + 1])),
      make("td", route.headers ? shown(network, route.headers[hop]) : ""));
    return row;
  });
  $("hops").replaceChildren(...rows);
  $("route").className = `${network.phases.length < 2 ? "plain" : ""} ${route.headers ? "" : "bare"}`;
  $("spoken").textContent = `${head}: ${nodes.map((node) => nameOf(network, node)).join(", ")}`;
}

function draw(network, route) {
  const drawing = network.drawing;
  $("way").replaceChildren();
  if (!drawing) return;
  const whole = document.querySelector(`#${drawing.picture} svg`);
  const picture = make("svg", null, {
    viewBox: whole.getAttribute("viewBox"), role: "img", style: whole.getAttribute("style"),
    "aria-label": `The route on the drawing of ${network.network}`,
  });
  picture.append(make("use", null, { href: `#${drawing.picture}-drawing` }));
  route.ports.forEach((port, hop) => picture.append(make("path", null, {
    d: drawing.links[route.nodes[hop] * network.degree + port], class: `hop phase-${route.phases[hop] % 4}`,
    "stroke-width": drawing.thick,
  })));
  for (const [end, node] of [["from", route.nodes[0]], ["to", route.nodes.at(-1)]]) {
    const [cx, cy] = drawing.nodes[node];
    const r = drawing.diameter / 2 + (end === "from" ? 2 : 5);
    picture.append(make("circle", null, { cx, cy, r, class: end }));
  }
  picture.addEventListener("click", (event) => pick(network, picture, event));
  $("way").append(picture);
}

let destinationNext = false;

// Take the node of the drawing that is nearest to where it was clicked.
function pick(network, picture, event) {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
  const off = ([x, y]) => Math.hypot(x - at.x, y - at.y);
  const nearest = network.terminals.reduce((best, node) =>
    off(network.drawing.nodes[node]) < off(network.drawing.nodes[best]) ? node : best);
  $(destinationNext ? "to" : "from").value = nameOf(network, nearest);
  destinationNext = !destinationNext;
  show();
}

const chosen = () => unpack(networks.find((network) => network.network === $("network").value) ?? networks[0]);

function show() {
  const network = chosen();
  try {
    const from = nodeOf(network, $("from").value), to = nodeOf(network, $("to").value);
    const route = routeOf(network, from, to);
    $("refused").textContent = "";
    tell(network, route);
    draw(network, route);
    const address = new URLSearchParams({ network: network.network, from, to });
    try { history.replaceState(null, "", `#${address}`); } catch { /* not where the browser forbids it */ }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    $("refused").textContent = error.message;
  }
}

// Another network has other nodes.
function renew() {
  const network = chosen();
  const first = network.terminals[0], last = network.terminals.at(-1);
  $("from").value = nameOf(network, first);
  $("to").value = nameOf(network, last);
  $("nodes").replaceChildren(...network.terminals.map((node) => make("option", null, { value: nameOf(network, node) })));
}

// An address such as page.html#network=borel-21&from=0&to=16 is obeyed.
function obey() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (!asked.has("from") && !asked.has("to")) return;
  if (asked.has("network")) { $("network").value = asked.get("network"); renew(); }
  for (const end of ["from", "to"]) if (asked.has(end)) $(end).value = asked.get(end);
  show();
}

if (networks.length) {
  $("network").addEventListener("change", () => { renew(); show(); });
  for (const end of ["from", "to"]) $(end).addEventListener("change", show);
  $("chooser").addEventListener("submit", (event) => { event.preventDefault(); show(); });
  $("swap").addEventListener("click", () => {
    [$("from").value, $("to").value] = [$("to").value, $("from").value];
    show();
  });
  window.addEventListener("hashchange", obey);
  renew();
  if (location.hash.includes("from=") || location.hash.includes("to=")) obey();
  else {
    const network = chosen();
    const route = routeOf(network, network.terminals[0], network.terminals.at(-1));
    tell(network, route);
    draw(network, route);
  }
}
