// The page itself: what is shown of which shape, and what the mouse, fingers, keys and the address do to it.

const MODES = ["parts", "instances", "confidence"];
const FADES = {lit: 0.8, chosen: 0.6};  // how much the rest loses of its colour
const STILL = 4;  // pixels that a hand may move between press and release of a click
const find = (id) => document.getElementById(id);
const blocks = [...document.querySelectorAll("script.shape")];
const scaleBytes = new Uint8Array(bytesOf(JSON.parse(document.querySelector("script.scale").textContent)));
const canvas = find("canvas");
const scene = new Scene(canvas, scaleBytes);
// hidden has pieces; lit and chosen are targets (see Legend) or null; under is the piece at the pointer, or -1.
const state = {index: -1, mode: "parts", hidden: new Set(), lit: null, chosen: null, under: -1};
const legend = new Legend(find("legend"), {toggle, alone, choose: select, light: (lit) => change({lit})});
const pointers = new Map();  // those that are down on the canvas: where each was last
let shape = null, camera = null, awaited = false, hovering = null, pressed = null;

// Everything that is seen follows from the state; it is drawn once a frame at most.
function change(values = {}) {
  Object.assign(state, values);
  if (!awaited) requestAnimationFrame(show);
  awaited = true;
}

function show() {
  awaited = false;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  state.dull = dark ? [0.3, 0.31, 0.32] : [0.89, 0.89, 0.88];
  state.bright = state.lit || state.chosen ? new Set(piecesOf(state.lit ?? state.chosen)) : null;
  state.fade = state.lit ? FADES.lit : FADES.chosen;
  if (scene.gl && !scene.gl.isContextLost()) {
    scene.draw(camera, state);
    showTip();
  }
  legend.show(state);
  showChosen();
  for (const mode of MODES) find(`mode-${mode}`).setAttribute("aria-pressed", String(state.mode === mode));
  find("scale").hidden = state.mode !== "confidence";
  find("all").disabled = state.hidden.size === 0;
}

// What lies under the pointer is looked up after drawing, and only while nothing is dragged.
function showTip() {
  const found = hovering && !pointers.size ? scene.pick(camera, state, ...hovering) : null;
  const tip = find("tip");
  tip.hidden = found === null;
  state.under = found ? found.piece : -1;
  if (!found) return;
  const {name, confidence} = shape.instances[found.piece];
  find("tip-name").textContent = name;
  find("tip-confidence").textContent = confidence === null ? "" : `${percent(found.confidence)} sure`;
  const [x, y] = hovering;
  const left = Math.max(4, Math.min(x + 14, canvas.clientWidth - tip.offsetWidth - 4));
  const top = y + 18 + tip.offsetHeight > canvas.clientHeight ? y - tip.offsetHeight - 10 : y + 18;
  tip.style.transform = `translate(${left}px, ${top}px)`;
}

// The name and the figures of what is chosen, and what can be done with it.
function showChosen() {
  const {chosen, mode, hidden} = state;
  find("chosen").hidden = chosen === null;
  if (!chosen) return;
  const several = shape.pieces[chosen.part].length;
  const told = chosen.piece < 0 ? shape.parts[chosen.part] : shape.instances[chosen.piece];
  const shaded = mode === "instances" ? told : shape.parts[chosen.part];
  const figures = [`${shareText(told.share)} of the area`];
  if (told.confidence !== null) figures.push(`${percent(told.confidence)} sure`);
  if (several > 1) figures.unshift(chosen.piece < 0 ? `${several} pieces` : `1 of ${several} pieces`);
  find("chosen-name").textContent = told.name;
  find("chosen-figures").textContent = figures.join(" · ");
  find("chosen-patch").style.backgroundColor = shaded.colour;
  find("chosen-hide").textContent = piecesOf(chosen).every((piece) => hidden.has(piece)) ? "Show" : "Hide";
}

function piecesOf({part, piece}) {
  return piece < 0 ? shape.pieces[part] : [piece];
}

function select(chosen) {
  change({chosen});
  if (chosen) legend.reveal(chosen);
}

function choose(index) {
  if (index === state.index) return;
  const names = shape ? hiddenNames() : new Set();
  shape = readShape(blocks[index].textContent);
  camera = new Camera(shape);
  if (scene.gl) scene.load(shape);
  legend.load(shape);
  describe();
  const several = shape.instances.length > shape.parts.length;
  find("mode-instances").hidden = !several;
  const mode = state.mode === "instances" && !several ? "parts" : state.mode;
  change({index, mode, hidden: hiddenWhere((name) => names.has(name)), lit: null, chosen: null, under: -1});
  find("position").textContent = `${index + 1} of ${blocks.length}`;
}

// The names of what is hidden: of whole parts and of single pieces.
function hiddenNames() {
  const gone = (piece) => state.hidden.has(piece);
  const parts = shape.parts.filter((_, part) => shape.pieces[part].length && shape.pieces[part].every(gone));
  return new Set([...parts, ...shape.instances.filter((_, piece) => gone(piece))].map(({name}) => name));
}

// The pieces whose own name, or whose part's name, passes a test.
function hiddenWhere(test) {
  const all = [...shape.instances.keys()];
  return new Set(all.filter((piece) => test(shape.instances[piece].name) || test(partOf(piece).name)));
}

function partOf(piece) {
  return shape.parts[shape.instances[piece].part];
}

function targetNamed(name) {
  const part = shape.parts.findIndex((each) => each.name === name);
  if (part >= 0) return {part, piece: -1};
  const piece = shape.instances.findIndex((each) => each.name === name);
  return piece >= 0 ? {part: shape.instances[piece].part, piece} : null;
}

function describe() {
  const count = (number, what) => `${number.toLocaleString("en")} ${what}`;
  const told = [shape.kind, count(shape.vertices, "vertices"), count(shape.faces, "faces")];
  if (shape.confidence !== null) told.push(`${percent(shape.confidence)} sure on average`);
  find("about").textContent = told.filter((text) => text !== null).join(" · ");
  find("title").textContent = find("title").title = document.title = shape.title;
  const notes = [...shape.warnings];
  const drawn = count(shape.shown ?? 0, "faces");
  if (shape.shown) notes.push(`Drawn with ${drawn} to keep this page light; all figures are of the whole mesh.`);
  find("warnings").replaceChildren(...notes.map((text) => element("li", "", text)));
}

// Hides all pieces of a target, or shows them all if none is seen.
function toggle(target) {
  const hidden = new Set(state.hidden), own = piecesOf(target);
  const back = own.every((piece) => hidden.has(piece));
  for (const piece of own) back ? hidden.delete(piece) : hidden.add(piece);
  change({hidden});
}

function alone(target) {
  const own = new Set(piecesOf(target));
  const others = [...shape.instances.keys()].filter((piece) => !own.has(piece));
  const gone = (piece) => state.hidden.has(piece);
  const already = others.every(gone) && ![...own].some(gone);
  change({hidden: new Set(already ? [] : others)});
}

// #up=z&azimuth=40&elevation=10&zoom=2&mode=confidence&hide=head&only=tail&choose=leg&index=1
function followAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const number = (key) => (Number.isFinite(parseFloat(wanted.get(key))) ? parseFloat(wanted.get(key)) : null);
  choose(Math.min(blocks.length - 1, Math.max(0, Math.trunc(number("index") ?? Math.max(0, state.index)))));
  if (Object.keys(STANDING).includes(wanted.get("up"))) camera.stand(wanted.get("up"));
  camera.azimuth = number("azimuth") ?? camera.azimuth;
  camera.elevation = Math.min(90, Math.max(-90, number("elevation") ?? camera.elevation));
  camera.zoom = Math.min(ZOOMS[1], Math.max(ZOOMS[0], number("zoom") ?? camera.zoom));
  const [hide, only] = [wanted.getAll("hide"), wanted.getAll("only")];
  if (hide.length || only.length) {
    const kept = hiddenWhere((name) => only.includes(name)), hidden = hiddenWhere((name) => hide.includes(name));
    for (const piece of shape.instances.keys()) if (only.length && !kept.has(piece)) hidden.add(piece);
    state.hidden = hidden;
  }
  if (wanted.has("choose")) select(targetNamed(wanted.get("choose")));
  const mode = wanted.get("mode");
  change(MODES.includes(mode) && !find(`mode-${mode}`).hidden ? {mode} : {});
}

const sizes = () => [canvas.clientWidth, canvas.clientHeight];
const place = (event) => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, place(event));
  pressed = pointers.size === 1 && event.button === 0 && !event.shiftKey ? place(event) : null;
  canvas.classList.add("dragging");
  change();
});

canvas.addEventListener("pointermove", (event) => {
  const here = place(event), before = pointers.get(event.pointerId);
  hovering = here;
  if (before) {
    const others = [...pointers.entries()].filter(([id]) => id !== event.pointerId);
    const [x, y] = [here[0] - before[0], here[1] - before[1]];
    if (others.length) pinch(before, here, others[0][1]);
    else if (event.shiftKey || event.buttons & 6) camera.drag(x, y, ...sizes());
    else camera.turn(-x * 0.45, y * 0.45);
    pointers.set(event.pointerId, here);
  }
  change();
});

// Two fingers: what was under each stays there, as far as zooming and moving can do that.
function pinch(before, here, other) {
  const apart = (point) => Math.max(10, Math.hypot(point[0] - other[0], point[1] - other[1]));
  const [width, height] = sizes();
  camera.zoomBy(apart(here) / apart(before), other[0] - width / 2, other[1] - height / 2, width, height);
  camera.drag((here[0] - before[0]) / 2, (here[1] - before[1]) / 2, width, height);
}

for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (event) => {
  pointers.delete(event.pointerId);
  const here = place(event);
  const isClick = kind === "pointerup" && pressed && Math.hypot(here[0] - pressed[0], here[1] - pressed[1]) <= STILL;
  if (isClick && !pointers.size) selectAt(here);
  if (!pointers.size) pressed = null;
  canvas.classList.toggle("dragging", pointers.size > 0);
  change();
});

// Beside the shape a click lets go of what is chosen.
function selectAt(here) {
  const found = scene.pick(camera, state, ...here);
  select(found && {part: shape.instances[found.piece].part, piece: found.piece});
}

canvas.addEventListener("pointerleave", () => {
  hovering = null;
  change();
});
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const [x, y] = place(event), [width, height] = sizes();
  const steps = event.deltaY * [1, 30, 300][event.deltaMode];  // pixels, lines or pages
  camera.zoomBy(Math.exp(-0.0015 * Math.max(-400, Math.min(400, steps))), x - width / 2, y - height / 2, width, height);
  change();
}, {passive: false});

const KEYS = new Map(Object.entries({
  ArrowLeft: () => camera.turn(-10, 0), ArrowRight: () => camera.turn(10, 0),
  ArrowUp: () => camera.turn(0, 10), ArrowDown: () => camera.turn(0, -10),
  "+": () => camera.zoomBy(1.2, 0, 0, ...sizes()), "=": () => camera.zoomBy(1.2, 0, 0, ...sizes()),
  "-": () => camera.zoomBy(1 / 1.2, 0, 0, ...sizes()), 0: () => camera.reset(),
  "[": () => step(-1), "]": () => step(1),
  h: () => state.chosen && toggle(state.chosen), Escape: () => select(null),
}));
addEventListener("keydown", (event) => {
  // Elsewhere arrows scroll, and with a modifier the keys are the browser's own.
  const inList = event.target.closest && event.target.closest("aside") && event.key.startsWith("Arrow");
  const meant = !inList && !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!meant || !KEYS.has(event.key)) return;
  event.preventDefault();
  KEYS.get(event.key)();
  change();
});

function step(by) {
  choose((state.index + by + blocks.length) % blocks.length);
}

function start() {
  const stops = Array.from({length: 16}, (_, i) => `rgb(${scaleBytes.slice(51 * i, 51 * i + 3).join(" ")})`);
  find("scale-bar").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  find("turner").hidden = blocks.length < 2;
  find("previous").addEventListener("click", () => step(-1));
  find("next").addEventListener("click", () => step(1));
  find("reset").addEventListener("click", () => { camera.reset(); change(); });
  find("stand").addEventListener("click", () => { camera.standNext(); change(); });
  find("all").addEventListener("click", () => change({hidden: new Set()}));
  for (const mode of MODES) find(`mode-${mode}`).addEventListener("click", () => change({mode}));
  find("chosen-hide").addEventListener("click", () => toggle(state.chosen));
  find("chosen-alone").addEventListener("click", () => alone(state.chosen));
  find("chosen-leave").addEventListener("click", () => select(null));
  find("missing").hidden = scene.gl !== null;
  find("tools").hidden = canvas.hidden = scene.gl === null;
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => { scene.prepare(); scene.load(shape); change(); });
  addEventListener("resize", () => change());
  addEventListener("hashchange", followAddress);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => change());
  followAddress();
}

start();
