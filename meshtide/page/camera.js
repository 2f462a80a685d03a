// Where the shape is seen from. Angles are degrees: how far the viewer has walked to the right around the shape, and
// how far above its middle; pan is in units of the shape, zoom 1 shows all of it from any side.

const DISTANCE = 3.5;  // of the mild perspective, in diagonals of the shape
const MARGIN = 0.06;
const ZOOMS = [0.2, 60];

class Camera {
  constructor(shape) {
    this.shape = shape;
    this.reset();
  }

  reset() {
    [this.azimuth, this.elevation] = this.shape.view;
    this.zoom = 1;
    this.pan = [0, 0];
  }

  turn(right, up) {
    this.azimuth = (this.azimuth + right) % 360;
    this.elevation = Math.min(90, Math.max(-90, this.elevation + up));
  }

  // Pixels for a length of one, on a canvas of so many.
  scale(width, height) {
    const {around, upwards} = this.shape.reach;
    const tilt = Math.abs(this.shape.view[1]) * Math.PI / 180;
    const high = upwards * Math.cos(tilt) + around * Math.sin(tilt);
    const room = 1 - 2 * MARGIN;
    // What lies nearer than the middle looks larger.
    const larger = 1 - this.shape.reach.all / (2 * DISTANCE * this.shape.reach.all);
    return this.zoom * larger * room * Math.min(width / (2 * around || 1), height / (2 * high || 1));
  }

  // Moves what is under the pointer along with it, by so many pixels.
  drag(x, y, width, height) {
    const scale = this.scale(width, height);
    const limit = this.shape.reach.all * 1.5;
    this.pan = [this.pan[0] + x / scale, this.pan[1] - y / scale].map((v) => Math.min(limit, Math.max(-limit, v)));
  }

  // Zooms such that the place x, y pixels right of and below the canvas's middle stays where it is.
  zoomBy(factor, x, y, width, height) {
    const before = this.scale(width, height);
    this.zoom = Math.min(ZOOMS[1], Math.max(ZOOMS[0], this.zoom * factor));
    const share = 1 - before / this.scale(width, height);
    this.drag(-x * share * this.scale(width, height) / before, -y * share * this.scale(width, height) / before,
      width, height);
  }

  // The rows of the matrix that turns the standing shape to how the viewer sees it: right, up, towards the viewer.
  rotation() {
    const a = -this.azimuth * Math.PI / 180, e = this.elevation * Math.PI / 180;
    return [
      [Math.cos(a), 0, Math.sin(a)],
      [Math.sin(e) * Math.sin(a), Math.cos(e), -Math.sin(e) * Math.cos(a)],
      [-Math.cos(e) * Math.sin(a), Math.sin(e), Math.cos(e) * Math.cos(a)],
    ];
  }

  // The rows of the matrix from the shape around its middle to clip coordinates.
  projection(width, height) {
    const [right, up, near] = this.rotation();
    const scale = this.scale(width, height), all = this.shape.reach.all, distance = 2 * DISTANCE * all;
    const w = [...near.map((value) => -value / distance), 1];
    const flat = (row, shift, size) => [...row, 0].map((value, i) => 2 * scale / size * (value + shift * w[i]));
    // Dividing by w maps the nearest point of the sphere around the shape to -1 and the farthest to 1.
    const depth = [...near.map((value) => -value / all), all / distance];
    return [flat(right, this.pan[0], width), flat(up, this.pan[1], height), depth, w];
  }
}
