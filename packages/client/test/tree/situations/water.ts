import { iri } from './situation.ts';

/** The vocabulary of the data: levels that gauges along a river read. */
export const WATER = 'https://water.example/ns#';

/** A member: one reading of a gauge. */
export interface WaterReading {
  readonly path: string;
  readonly time: string;
  readonly turtle: string;
}

const GAUGES = ['weir', 'lock', 'quay', 'mill'];

/**
 * Readings of four gauges in turn.
 *
 * @param first - the number of the first
 * @param from - when it was taken
 * @param stepMinutes - from one to the next
 */
export function readings(first: number, count: number, from: string, stepMinutes = 10): WaterReading[] {
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return reading(number, new Date(Date.parse(from) + index * stepMinutes * 60_000).toISOString());
  });
}

/** One reading, with more statements about it if need be (`; w:p o`). */
export function reading(number: number, time: string, more = ''): WaterReading {
  const path = `readings/${number}`;
  const gauge = GAUGES[number % GAUGES.length] as string;
  const turtle = `<${iri(path)}> a w:Reading ; w:gauge <${iri(`gauges/${gauge}`)}> ;
  w:level ${100 + ((number * 37) % 250)} ; w:read "${time}"^^xsd:dateTime${more} .`;
  return { path, time, turtle };
}
