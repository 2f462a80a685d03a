// Drawing with WebGL: two lamps and a sky, each piece in its colour or by confidence, and what lies under the pointer.

// Where the lamps are: x to the right, y up, z towards the viewer.
const VERTEX = `
precision highp float;
attribute vec3 place, normal;
attribute float sure;
uniform mat4 projection;
uniform mat3 turn;
uniform vec3 box;
varying vec3 facing;
varying float certain;
void main() {
  facing = turn * normal;
  certain = sure;
  gl_Position = projection * vec4((place - 0.5) * box, 1.0);
}`;

const SURFACE = `
precision highp float;
varying vec3 facing;
varying float certain;
uniform vec3 colour, dull;
uniform float byConfidence, fade;
uniform sampler2D scale;
float reaching(vec3 n, vec3 lamp) {
  return pow(max((dot(n, normalize(lamp)) + 0.35) / 1.35, 0.0), 1.5);
}
void main() {
  vec3 n = normalize(facing);
  if (n.z < 0.0) n = -n;
  vec3 key = normalize(vec3(-0.55, 0.65, 0.6));
  vec3 shade = texture2D(scale, vec2((certain * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  vec3 base = pow(mix(mix(colour, shade, byConfidence), dull, fade), vec3(2.2));
  float sky = 0.17 + 0.17 * (n.y + 1.0) / 2.0;
  float rim = 1.0 - 0.25 * max(1.0 - n.z / 0.4, 0.0);
  float amount = (sky + 0.74 * reaching(n, key) + 0.2 * reaching(n, vec3(0.8, 0.05, 0.45))) * rim;
  float gloss = 0.07 * pow(max(dot(n, normalize(key + vec3(0.0, 0.0, 1.0))), 0.0), 24.0);
  gl_FragColor = vec4(pow(min(base * amount + gloss, 1.0), vec3(1.0 / 2.2)), 1.0);
}`;

const IDENTITY = `
precision highp float;
varying float certain;
uniform vec2 piece;
void main() {
  gl_FragColor = vec4(piece, certain, 1.0);
}`;

class Scene {
  constructor(canvas, scaleBytes) {
    this.canvas = canvas;
    this.scaleBytes = scaleBytes;
    this.gl = canvas.getContext("webgl", {antialias: true, alpha: true, premultipliedAlpha: true});
    if (this.gl) this.prepare();
  }

  // Everything that lives on the graphics card, apart from the shape; again when the card has lost it.
  prepare() {
    const gl = this.gl;
    this.surface = program(gl, VERTEX, SURFACE);
    this.identity = program(gl, VERTEX, IDENTITY);
    this.buffer = gl.createBuffer();
    this.single = onePixel(gl);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());  // stays bound: the only one that is read
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB, 256, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, this.scaleBytes);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    for (const size of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, size, gl.LINEAR);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.DITHER);
    gl.clearColor(0, 0, 0, 0);
  }

  load(shape) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, shape.corners, gl.STATIC_DRAW);
    for (const [at, [size, kind, offset]] of Object.entries({
      0: [3, gl.UNSIGNED_SHORT, 0], 1: [1, gl.UNSIGNED_SHORT, 6], 2: [3, gl.SHORT, 8],
    })) {
      gl.enableVertexAttribArray(Number(at));
      gl.vertexAttribPointer(Number(at), size, kind, true, STRIDE, offset);
    }
    this.shape = shape;
    const light = ({colour}) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
    this.shades = shape.instances.map(light);
    this.colours = shape.instances.map(({part}) => light(shape.parts[part]));
  }

  // state: mode, hidden (a set of pieces), bright (a set of those to bring out, or null), fade (how much the others
  // lose) and dull (the red, green, blue that they go to).
  draw(camera, state) {
    const {gl, canvas} = this, {uniforms} = this.surface;
    const dots = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * dots));
    const height = Math.max(1, Math.round(canvas.clientHeight * dots));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.begin(this.surface, camera.projection(width, height), camera, width, height);
    gl.uniform1f(uniforms.byConfidence, state.mode === "confidence" ? 1 : 0);
    gl.uniform3fv(uniforms.dull, state.dull);
    const colours = state.mode === "instances" ? this.shades : this.colours;
    this.eachPiece(state, (piece) => {
      gl.uniform3fv(uniforms.colour, colours[piece]);
      gl.uniform1f(uniforms.fade, state.bright && !state.bright.has(piece) ? state.fade : 0);
    });
  }

  // The piece under a place of the canvas, in CSS pixels, and how sure it is there; null beside the shape.
  pick(camera, state, x, y) {
    const {gl, canvas} = this, {uniforms} = this.identity;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    const [right, up, depth, w] = camera.projection(width, height);
    // The pixel under the pointer becomes the only one of a picture of its own: nothing else is painted or read.
    const across = right.map((value, i) => width * (value - (2 * x / width - 1) * w[i]));
    const upwards = up.map((value, i) => height * (value - (1 - 2 * y / height) * w[i]));
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.single);
    this.begin(this.identity, [across, upwards, depth, w], camera, 1, 1);
    this.eachPiece(state, (piece) => gl.uniform2f(uniforms.piece, (piece >> 8) / 255, (piece & 255) / 255));
    const pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return pixel[3] ? {piece: pixel[0] * 256 + pixel[1], confidence: pixel[2] / 255} : null;
  }

  begin({linked, uniforms}, rows, camera, width, height) {
    const gl = this.gl;
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(linked);
    gl.uniformMatrix4fv(uniforms.projection, false, columns(rows));
    gl.uniformMatrix3fv(uniforms.turn, false, columns(camera.rotation()));
    gl.uniform3fv(uniforms.box, this.shape.box);
  }

  eachPiece(state, setColours) {
    const {first, instances} = this.shape;
    for (let piece = 0; piece < instances.length; piece++) {
      if (state.hidden.has(piece) || first[piece] === first[piece + 1]) continue;
      setColours(piece);
      this.gl.drawArrays(this.gl.TRIANGLES, first[piece], first[piece + 1] - first[piece]);
    }
  }
}

// WebGL wants the columns of a matrix one after the other.
function columns(rows) {
  return rows[0].flatMap((_, column) => rows.map((row) => row[column]));
}

function program(gl, vertexText, fragmentText) {
  const linked = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(linked, shader);
  }
  ["place", "sure", "normal"].forEach((name, at) => gl.bindAttribLocation(linked, at, name));
  gl.linkProgram(linked);
  if (!gl.getProgramParameter(linked, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(gl.getProgramInfoLog(linked));
  }
  const names = ["projection", "turn", "box", "colour", "dull", "byConfidence", "fade", "piece"];
  return {linked, uniforms: Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(linked, name)]))};
}

// A picture of a single pixel, apart from the one that is seen.
function onePixel(gl) {
  const frame = gl.createFramebuffer(), colour = gl.createTexture(), depth = gl.createRenderbuffer();
  gl.bindTexture(gl.TEXTURE_2D, colour);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
  gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, 1, 1);
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, colour, 0);
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
  return frame;
}
