import type { Mapping } from '@ldes-live/sources';

/** A document of stations, as an API may have it. */
export interface StationsDocument {
  readonly stations: readonly Readonly<Record<string, string | number | boolean>>[];
}

const EX = 'http://example.org/terms#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** A document of so many stations, read from its text as that of an API is; another one for each round. */
export function stations(count: number, round: number): StationsDocument {
  const document: StationsDocument = {
    stations: Array.from({ length: count }, (_, index) => ({
      id: `http://localhost:3000/stations/entities/${index}`,
      name: `Station ${index}`,
      bikes: (index * 7 + round) % 30,
      charge: (((index * 13 + round) % 1000) * 10 + 5) / 100,
      renting: (index + round) % 9 !== 0,
      reported: new Date(1_700_000_000_000 + index * 1000 + round * 60_000).toISOString(),
    })),
  };
  return JSON.parse(JSON.stringify(document));
}

/** What the fields mean, as a JSON-LD context. */
export const STATION_CONTEXT = {
  id: '@id',
  name: `${EX}name`,
  bikes: { '@id': `${EX}bikes`, '@type': `${XSD}integer` },
  charge: { '@id': `${EX}charge`, '@type': `${XSD}decimal` },
  renting: { '@id': `${EX}renting`, '@type': `${XSD}boolean` },
  reported: { '@id': `${EX}reported`, '@type': `${XSD}dateTime` },
} as const;

/** The same as a mapping. */
export const STATION_MAPPING: Mapping = {
  records: 'stations[*]',
  subject: '{+id}',
  properties: [
    { path: 'name', predicate: `${EX}name` },
    { path: 'bikes', predicate: `${EX}bikes`, datatype: 'xsd:integer' },
    { path: 'charge', predicate: `${EX}charge`, datatype: 'xsd:decimal' },
    { path: 'renting', predicate: `${EX}renting` },
    { path: 'reported', predicate: `${EX}reported`, convert: 'iso' },
  ],
};
