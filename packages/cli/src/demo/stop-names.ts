import { seededUnit } from './seeded-unit.ts';

const PLACES = 'Mill Chapel Harbour Market Castle Garden Bridge Orchard Linden Heron Quarry Weaver'.split(' ');
const KINDS = 'Street Square Lane Gate Park Quay Hill Cross'.split(' ');

/**
 * Names for stops of a made-up city, none twice.
 *
 * @param count - how many, at most 96
 */
export function stopNames(seed: number, count: number): string[] {
  return PLACES.flatMap((place) => KINDS.map((kind) => `${place} ${kind}`))
    .map((name) => ({ name, order: seededUnit(seed, 'name', name) }))
    .sort((left, right) => left.order - right.order)
    .slice(0, count)
    .map(({ name }) => name);
}
