// One shape out of its block of data, as a list of corners that the graphics card can draw piece by piece.

const STRIDE = 16;  // bytes of a corner: place 3 × uint16, confidence uint16, normal 3 × int16, 2 to spare
const CREASE = [0.6, 0.75];  // cosines between which an edge goes from sharp to smooth
const TINY = 32;  // twice the area, in squared steps of the coordinates, below which a face's own direction is noise

function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}

function readShape(text) {
  const told = JSON.parse(text);
  const places = new Uint16Array(bytesOf(told.places));
  const indices = bytesOf(told.indices);
  const owners = bytesOf(told.face_instances);
  const surface = {
    places,
    normals: unfolded(new Int16Array(bytesOf(told.normals))),
    sure: new Uint8Array(bytesOf(told.sure)),
    faces: places.length / 3 <= 65536 ? new Uint16Array(indices) : new Uint32Array(indices),
    owners: told.instances.length <= 256 ? new Uint8Array(owners) : new Uint16Array(owners),
    box: told.box,
  };
  const {corners, first} = cornersByPiece(surface, told.instances.length);
  const pieces = told.parts.map(() => []);  // of each part, by their numbers
  told.instances.forEach(({part}, piece) => pieces[part].push(piece));
  return {...told, places, corners, first, pieces};
}

// Directions of length one out of the two numbers of a folded-out octahedron.
function unfolded(pairs) {
  const normals = new Float32Array(pairs.length / 2 * 3);
  for (let i = 0; i < pairs.length / 2; i++) {
    let x = pairs[2 * i] / 32767, y = pairs[2 * i + 1] / 32767;
    const z = 1 - Math.abs(x) - Math.abs(y);
    if (z < 0) {
      [x, y] = [(1 - Math.abs(y)) * (x < 0 ? -1 : 1), (1 - Math.abs(x)) * (y < 0 ? -1 : 1)];
    }
    const length = Math.hypot(x, y, z) || 1;
    normals[3 * i] = x / length;
    normals[3 * i + 1] = y / length;
    normals[3 * i + 2] = z / length;
  }
  return normals;
}

// All corners, those of piece p from first[p] to first[p + 1]: every piece can be drawn, or left out, by itself.
function cornersByPiece(surface, pieceCount) {
  const {places, normals, sure, faces, owners, box} = surface;
  const first = new Uint32Array(pieceCount + 1);
  for (const piece of owners) first[piece + 1] += 3;
  for (let piece = 0; piece < pieceCount; piece++) first[piece + 1] += first[piece];
  const next = first.slice();
  const corners = new ArrayBuffer(faces.length * STRIDE);
  const unsigned = new Uint16Array(corners), signed = new Int16Array(corners);
  for (let face = 0; face < owners.length; face++) {
    const flat = flatNormal(places, box, faces, face);
    for (let k = 0; k < 3; k++) {
      const vertex = faces[3 * face + k];
      const at = next[owners[face]]++ * STRIDE / 2;
      for (let axis = 0; axis < 3; axis++) unsigned[at + axis] = places[3 * vertex + axis];
      unsigned[at + 3] = sure[vertex] * 257;
      const normal = cornerNormal(normals.subarray(3 * vertex, 3 * vertex + 3), flat);
      for (let axis = 0; axis < 3; axis++) signed[at + 4 + axis] = Math.round(32767 * normal[axis]);
    }
  }
  return {corners, first};
}

// The direction that a face looks in, or null if it is too small to tell.
function flatNormal(places, box, faces, face) {
  const [a, b, c] = [0, 1, 2].map((k) => 3 * faces[3 * face + k]);
  const u = box.map((side, axis) => side * (places[b + axis] - places[a + axis]));
  const v = box.map((side, axis) => side * (places[c + axis] - places[a + axis]));
  const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...normal);
  return length < TINY ? null : normal.map((value) => value / length);
}

// The vertex's normal, or the face's own beside a crease.
function cornerNormal(smooth, flat) {
  if (flat === null) return smooth;
  const agreement = smooth[0] * flat[0] + smooth[1] * flat[1] + smooth[2] * flat[2];
  const blend = Math.min(1, Math.max(0, (agreement - CREASE[0]) / (CREASE[1] - CREASE[0])));
  if (blend === 1) return smooth;
  const mixed = [0, 1, 2].map((axis) => blend * smooth[axis] + (1 - blend) * flat[axis]);
  const length = Math.hypot(...mixed) || 1;
  return mixed.map((value) => value / length);
}
