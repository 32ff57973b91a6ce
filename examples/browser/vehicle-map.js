/** @import { Vehicle } from './vehicle.js' */
/** @typedef {{ x: number, y: number }} Point */

const SVG = 'http://www.w3.org/2000/svg';
const MARGIN = 30;
const TRAIL_POINTS = 12;

/** A map without a background: where the vehicles are, and where they were a moment ago. */
export class VehicleMap {
  /** @type {Map<string, { vehicle: Vehicle, trail: { lat: number, long: number }[] }>} */
  #vehicles = new Map();
  /** @type {SVGSVGElement} */
  #svg;

  /** @param {SVGSVGElement} svg */
  constructor(svg) {
    this.#svg = svg;
    new ResizeObserver(() => this.draw()).observe(svg);
  }

  /** @param {Vehicle} vehicle */
  put(vehicle) {
    const { place } = vehicle;
    const before = this.#vehicles.get(vehicle.entity)?.trail ?? [];
    const trail = place ? [...before, place].slice(-TRAIL_POINTS) : before;
    this.#vehicles.set(vehicle.entity, { vehicle, trail });
  }

  /** @param {string} entity */
  remove(entity) {
    this.#vehicles.delete(entity);
  }

  clear() {
    this.#vehicles.clear();
  }

  /** Draws all, scaled so that all is seen. */
  draw() {
    const { clientWidth: width, clientHeight: height } = this.#svg;
    const shown = [...this.#vehicles.values()].filter(({ trail }) => trail.length > 0);
    const project = projection(
      shown.flatMap(({ trail }) => trail),
      width,
      height,
    );
    this.#svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const trails = shown.map(({ vehicle, trail }) =>
      element('polyline', {
        class: 'trail',
        points: trail.map((place) => Object.values(project(place)).join(',')).join(' '),
        style: `stroke: ${vehicle.line.colour}`,
      }),
    );
    const dots = shown.map(({ vehicle, trail }) =>
      dot(vehicle, project(trail[trail.length - 1] ?? { lat: 0, long: 0 })),
    );
    this.#svg.replaceChildren(...trails, ...dots);
  }
}

/**
 * @param {Vehicle} vehicle
 * @param {Point} point
 */
function dot({ name, line }, { x, y }) {
  const group = element('g', {});
  const title = element('title', {});
  title.textContent = `${name}, ${line.name}`;
  const label = element('text', { class: 'name', x, y: y - 11 });
  // The kind of vehicle is the same for most: its number tells it apart.
  label.textContent = /\d+$/.exec(name)?.[0] ?? name;
  group.append(title, element('circle', { class: 'dot', cx: x, cy: y, r: 7, style: `fill: ${line.colour}` }), label);
  return group;
}

/**
 * @param {readonly { lat: number, long: number }[]} places
 * @param {number} width
 * @param {number} height
 * @returns {(place: { lat: number, long: number }) => Point}
 */
function projection(places, width, height) {
  const lats = places.map(({ lat }) => lat);
  const longs = places.map(({ long }) => long);
  const [south, north] = [Math.min(...lats), Math.max(...lats)];
  const [west, east] = [Math.min(...longs), Math.max(...longs)];
  // A degree of longitude is shorter than one of latitude, the more so the further from the equator.
  const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const scale = Math.min(
    (width - 2 * MARGIN) / Math.max((east - west) * shrink, 1e-4),
    (height - 2 * MARGIN) / Math.max(north - south, 1e-4),
  );
  const [middleLat, middleLong] = [(south + north) / 2, (west + east) / 2];
  return ({ lat, long }) => ({
    x: Math.round((width / 2 + (long - middleLong) * shrink * scale) * 10) / 10,
    y: Math.round((height / 2 - (lat - middleLat) * scale) * 10) / 10,
  });
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
