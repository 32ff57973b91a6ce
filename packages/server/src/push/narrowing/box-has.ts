import type { Position } from '@ldes-live/rdf-stream';
import type { Box } from './push-filter.ts';

/**
 * Whether a position is in a box, edges included. The antimeridian is one line whichever sign it is written with, and a
 * pole has every longitude.
 */
export function boxHas({ west, south, east, north }: Box, position: Position): boolean {
  const { longitude, latitude } = position;
  if (latitude < south || latitude > north) return false;
  if (Math.abs(latitude) === 90) return true;
  return isBetween(west, east, longitude) || (Math.abs(longitude) === 180 && isBetween(west, east, -longitude));
}

function isBetween(west: number, east: number, longitude: number): boolean {
  return west <= east ? west <= longitude && longitude <= east : west <= longitude || longitude <= east;
}
