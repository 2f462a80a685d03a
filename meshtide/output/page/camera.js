// Where the shape is seen from. Angles are degrees: how far the viewer has walked to the right around the shape, and
// how far above its middle; pan is in units of the shape, and zoom 1 shows all of it.

const DISTANCE = 3.5;  // of the mild perspective, in diagonals of the shape
const MARGIN = 0.08;
const ZOOMS = [0.2, 60];
// The shape's own axes that point to the right, up and to the front, by the one that points up.
const STANDING = {
  y: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], z: [[1, 0, 0], [0, 0, 1], [0, -1, 0]], x: [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
  "-y": [[-1, 0, 0], [0, -1, 0], [0, 0, 1]], "-z": [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
  "-x": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
};

const dot = (one, other) => one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
const product = (one, other) => one.map((row) => [0, 1, 2].map((k) => dot(row, other.map((each) => each[k]))));

class Camera {
  constructor(shape) {
    this.shape = shape;
    this.radius = Math.hypot(...shape.box) / 2;
    this.reset();
  }

  reset() {
    this.stand(this.shape.up);
  }

  // The first view of the shape with this axis up.
  stand(up) {
    this.up = up;
    this.standing = STANDING[up];
    [this.azimuth, this.elevation] = this.shape.view;
    this.zoom = 1;
    this.fit();
  }

  standNext() {
    const all = Object.keys(STANDING);
    this.stand(all[(all.indexOf(this.up) + 1) % all.length]);
  }

  // Sets pan, and the halves of width and height that are to be seen. The shape fills the first view, unless it would
  // leave the canvas when it is turned around.
  fit() {
    const {places, box} = this.shape, [right, up] = this.rotation();
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    let around = 0;
    for (let i = 0; i < places.length; i += 3) {
      const point = [0, 1, 2].map((axis) => box[axis] * (places[i + axis] / 65535 - 0.5));
      [right, up].forEach((row, k) => {
        const value = dot(row, point);
        low[k] = Math.min(low[k], value);
        high[k] = Math.max(high[k], value);
      });
      around = Math.max(around, dot(point, point) - dot(this.standing[1], point) ** 2);
    }
    this.pan = [-(low[0] + high[0]) / 2, -(low[1] + high[1]) / 2];
    this.seen = [Math.max((high[0] - low[0]) / 2, Math.sqrt(around) * (1 - 2 * MARGIN)), (high[1] - low[1]) / 2];
  }

  turn(right, up) {
    this.azimuth = (this.azimuth + right) % 360;
    this.elevation = Math.min(90, Math.max(-90, this.elevation + up));
  }

  // Pixels for a length of one, on a canvas of so many.
  scale(width, height) {
    return this.zoom * (0.5 - MARGIN) * Math.min(width / (this.seen[0] || 1), height / (this.seen[1] || 1));
  }

  // Moves the shape by so many pixels to the right and down.
  drag(x, y, width, height) {
    const scale = this.scale(width, height);
    this.shift(x / scale, -y / scale);
  }

  // Zooms such that the place x, y pixels right of and below the canvas's middle stays where it is.
  zoomBy(factor, x, y, width, height) {
    const before = this.scale(width, height);
    this.zoom = Math.min(ZOOMS[1], Math.max(ZOOMS[0], this.zoom * factor));
    const change = 1 / this.scale(width, height) - 1 / before;
    this.shift(x * change, -y * change);
  }

  shift(right, up) {
    const limit = 3 * this.radius;
    this.pan = [this.pan[0] + right, this.pan[1] + up].map((value) => Math.min(limit, Math.max(-limit, value)));
  }

  // The rows of the matrix that turns the shape to how the viewer sees it: right, up, towards the viewer.
  rotation() {
    const a = -this.azimuth * Math.PI / 180, e = this.elevation * Math.PI / 180;
    const seen = [
      [Math.cos(a), 0, Math.sin(a)],
      [Math.sin(e) * Math.sin(a), Math.cos(e), -Math.sin(e) * Math.cos(a)],
      [-Math.cos(e) * Math.sin(a), Math.sin(e), Math.cos(e) * Math.cos(a)],
    ];
    return product(seen, this.standing);
  }

  // The rows of the matrix from the shape around its middle to clip coordinates.
  projection(width, height) {
    const [right, up, near] = this.rotation();
    const scale = this.scale(width, height), all = this.radius, distance = 2 * DISTANCE * all;
    const w = [...near.map((value) => -value / distance), 1];
    const flat = (row, shift, size) => [...row, 0].map((value, i) => 2 * scale / size * (value + shift * w[i]));
    // Dividing by w maps the nearest point of the sphere around the shape to -1 and the farthest to 1.
    const depth = [...near.map((value) => -value / all), all / distance];
    return [flat(right, this.pan[0], width), flat(up, this.pan[1], height), depth, w];
  }
}
