import type { Position } from '@ldes-live/rdf-stream';

/** A square of the web Mercator map: at zoom 0 the whole earth is one, and each next zoom has four in each. */
export interface Tile {
  /** 0 to {@link MAX_ZOOM}. */
  readonly zoom: number;
  /** From west to east: 0 to `2 ** zoom - 1`. */
  readonly x: number;
  /** From north to south: 0 to `2 ** zoom - 1`. */
  readonly y: number;
}

/** The zoom of the smallest tiles: some 100 m across. */
export const MAX_ZOOM = 18;

/** The tile that all others are in. */
export const WORLD: Tile = { zoom: 0, x: 0, y: 0 };

/**
 * The smallest tile that a position is in. What lies on an edge is in the tile east or south of it; what lies beyond
 * the edge of the map, at the poles and on the antimeridian from the west, is in the tile beside it.
 */
export function tileAt({ longitude, latitude }: Position): Tile {
  const across = (longitude + 180) / 360;
  const down = (1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2;
  return { zoom: MAX_ZOOM, x: indexAt(across), y: indexAt(down) };
}

/** The four tiles that a tile is made of. @param tile - of a zoom below {@link MAX_ZOOM} */
export function childrenOf({ zoom, x, y }: Tile): readonly [Tile, Tile, Tile, Tile] {
  const child = (dx: number, dy: number): Tile => ({ zoom: zoom + 1, x: 2 * x + dx, y: 2 * y + dy });
  return [child(0, 0), child(1, 0), child(0, 1), child(1, 1)];
}

/** Which of the four tiles that a tile is made of has a tile of the smallest in it; -1 when that is not in the tile. */
export function childAt(tile: Tile, smallest: Tile): number {
  if (!hasTile(tile, smallest)) return -1;
  const up = MAX_ZOOM - tile.zoom - 1;
  return ((smallest.x >> up) & 1) + 2 * ((smallest.y >> up) & 1);
}

/** Whether a tile of the smallest is in a tile. */
export function hasTile({ zoom, x, y }: Tile, smallest: Tile): boolean {
  const up = MAX_ZOOM - zoom;
  return smallest.x >> up === x && smallest.y >> up === y;
}

/** The tile that a path such as `12/2081/1372` names; `undefined` when it names none, or not in that one way. */
export function readTile(path: string): Tile | undefined {
  const [zoom, x, y] = /^(0|[1-9]\d?)\/(0|[1-9]\d{0,5})\/(0|[1-9]\d{0,5})$/.exec(path)?.slice(1).map(Number) ?? [];
  if (zoom === undefined || x === undefined || y === undefined) return undefined;
  const size = 2 ** zoom;
  return zoom <= MAX_ZOOM && x < size && y < size ? { zoom, x, y } : undefined;
}

/** The path that names a tile. */
export function tilePath({ zoom, x, y }: Tile): string {
  return `${zoom}/${x}/${y}`;
}

function indexAt(share: number): number {
  const size = 2 ** MAX_ZOOM;
  return Math.min(size - 1, Math.max(0, Math.floor(share * size)));
}
