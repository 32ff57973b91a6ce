import type { Tile } from './tile.ts';

/**
 * The area that a tile stands for: WKT, in degrees of longitude and latitude (CRS 84).
 *
 * It is a ten-millionth of a degree larger on each side, so that what lies on an edge is within it; the northernmost
 * and southernmost tiles reach to the poles.
 *
 * @see specs/documents.md DOC-31
 */
export function tileArea({ zoom, x, y }: Tile): string {
  const size = 2 ** zoom;
  const longitude = (index: number) => (index / size) * 360 - 180;
  const latitude = (index: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * index) / size))) * 180) / Math.PI;
  const west = below(longitude(x), 180);
  const east = above(longitude(x + 1), 180);
  const north = y === 0 ? '90' : above(latitude(y), 90);
  const south = y === size - 1 ? '-90' : below(latitude(y + 1), 90);
  return `POLYGON ((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;
}

const STEPS_PER_DEGREE = 1e7;

function below(degrees: number, limit: number): string {
  return text(Math.max(-limit * STEPS_PER_DEGREE, Math.floor(degrees * STEPS_PER_DEGREE) - 1));
}

function above(degrees: number, limit: number): string {
  return text(Math.min(limit * STEPS_PER_DEGREE, Math.ceil(degrees * STEPS_PER_DEGREE) + 1));
}

// Fixed, since a number next to nothing would be printed with an exponent.
function text(steps: number): string {
  return (steps / STEPS_PER_DEGREE).toFixed(7).replace(/\.?0+$/, '');
}
