import type { Box, Position } from '@ldes-live/rdf-stream';

/** The level of the smallest cells: some 150 m across at the equator. */
const MAX_LEVEL = 18;

/** Rows of a column, in the number that stands for a cell. */
const ROWS = 2 ** MAX_LEVEL;

/** A cell: its level, and what stands for it among the cells of that level. */
type Cell = readonly [level: number, key: number];

/**
 * Values by boxes on a grid of degrees: for a position it names those whose boxes may have it in them.
 *
 * At each next level a cell is half as wide and half as high. A box is kept at the level whose cells are just not
 * smaller than it, and so in four cells at most, besides one for each pole that it reaches.
 */
export class BoxGrid<Value> {
  readonly #levels = new Map<number, Map<number, Set<Value>>>();

  /** Puts a value under boxes; again is no more than once. */
  add(value: Value, boxes: readonly Box[]): void {
    for (const [level, key] of cellsOf(boxes)) {
      const cells = at(this.#levels, level, () => new Map<number, Set<Value>>());
      at(cells, key, () => new Set<Value>()).add(value);
    }
  }

  /** Takes a value away from the boxes that it was put under. */
  remove(value: Value, boxes: readonly Box[]): void {
    for (const [level, key] of cellsOf(boxes)) {
      const cells = this.#levels.get(level);
      const values = cells?.get(key);
      if (!cells || !values) continue;
      values.delete(value);
      if (values.size === 0) cells.delete(key);
      if (cells.size === 0) this.#levels.delete(level);
    }
  }

  /** The values whose boxes have a position in them, and some whose boxes are near it; a value may come more than once. */
  *near(position: Position): Iterable<Value> {
    for (const [level, cells] of this.#levels) yield* cells.get(keyAt(level, position)) ?? [];
  }
}

function* cellsOf(boxes: readonly Box[]): Iterable<Cell> {
  for (const box of boxes) yield* cellsOfBox(box);
}

function* cellsOfBox({ west, south, east, north }: Box): Iterable<Cell> {
  const span = west <= east ? east - west : east - west + 360;
  const level = levelOf(Math.max(span, north - south));
  const first = column(level, west);
  const last = column(level, east) + (west <= east ? 0 : 2 ** level);
  for (let x = first; x <= last; x += 1) {
    for (let y = row(level, south); y <= row(level, north); y += 1) yield [level, keyOf(level, x, y)];
  }
  // A pole is looked for at one longitude only.
  for (const pole of [south, north]) {
    if (Math.abs(pole) === 90) yield [level, keyAt(level, { longitude: 0, latitude: pole })];
  }
}

function levelOf(degrees: number): number {
  let level = 0;
  while (level < MAX_LEVEL && 360 / 2 ** (level + 1) >= degrees) level += 1;
  return level;
}

function keyAt(level: number, { longitude, latitude }: Position): number {
  return keyOf(level, column(level, Math.abs(latitude) === 90 ? 0 : longitude), row(level, latitude));
}

// The column beyond the easternmost is the westernmost: the antimeridian is in that one, whichever its sign.
function keyOf(level: number, x: number, y: number): number {
  return (x % 2 ** level) * ROWS + y;
}

function column(level: number, longitude: number): number {
  return Math.floor(((longitude + 180) / 360) * 2 ** level);
}

function row(level: number, latitude: number): number {
  return Math.floor(((latitude + 90) / 360) * 2 ** level);
}

function at<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
