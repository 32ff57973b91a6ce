import { isIri, prefixes } from '@ldes-live/rdf-stream';
import { errors } from '../../errors.ts';
import type { Box, PushFilter } from './push-filter.ts';

/** The query parameters that the push endpoint knows, those that narrow it included. */
export const PUSH_PARAMETERS: readonly string[] = ['from', 'entity', 'type', 'bbox'];

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?$/i;

/**
 * Reads the part of a stream that a query asks for: `entity` and `type` (absolute IRIs) and `bbox`
 * (`west,south,east,north`, degrees), each as often as wanted.
 *
 * @param query - other parameters in it are left alone
 * @param limitNarrowing - values of the three that it may have in all, repeated ones included
 * @returns `undefined` where none of the three is given: the whole stream
 * @throws {@link StreamError} `ERR_NARROWING_LIMIT` - it has more values than the limit
 * @throws {@link StreamError} `ERR_NARROWING_MALFORMED` - a value is no absolute IRI, or no box of degrees
 * @see specs/push.md PUSH-20, PUSH-26
 */
export function parsePushFilter(query: URLSearchParams, limitNarrowing: number): PushFilter | undefined {
  const entities = query.getAll('entity');
  const types = query.getAll('type');
  const boxes = query.getAll('bbox');
  const values = entities.length + types.length + boxes.length;
  if (values === 0) return undefined;
  if (values > limitNarrowing) throw errors.ERR_NARROWING_LIMIT({ values, limitNarrowing });
  return pushFilter(
    entities.map((value) => iri('entity', value)),
    types.map((value) => iri('type', value)),
    boxes.map(box),
  );
}

function pushFilter(entities: readonly string[], types: readonly string[], boxes: readonly Box[]): PushFilter {
  const wanted = { entities: distinct(entities), types: distinct(types), boxes: distinctBoxes(boxes) };
  const key = JSON.stringify([
    wanted.entities,
    wanted.types,
    wanted.boxes.map(({ west, south, east, north }) => [west, south, east, north]),
  ]);
  return { key, entities: new Set(wanted.entities), types: new Set(wanted.types), boxes: wanted.boxes };
}

// In one order, so that those who ask for the same in another share what is made for them.
function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

function distinctBoxes(boxes: readonly Box[]): Box[] {
  const byText = new Map(boxes.map((each) => [JSON.stringify(each), each]));
  return distinct([...byText.keys()]).map((text) => byText.get(text) as Box);
}

// What documents shorten by: `geo:51,3` is an IRI of the scheme of that name, `geo:Feature` is not meant to be one.
const SHORTENED = new RegExp(`^(?:${[...Object.keys(prefixes), 'live', 'rt'].join('|')}):[A-Za-z]`);

function iri(name: string, value: string): string {
  if (isIri(value) && !SHORTENED.test(value)) return value;
  const expected = 'an absolute IRI, written out as the context of the events has it';
  throw errors.ERR_NARROWING_MALFORMED({ name, value, expected });
}

function box(value: string): Box {
  const [west, south, east, north, ...rest] = value.split(',').map(degrees);
  const isBox =
    isWithin(west, 180) && isWithin(south, 90) && isWithin(east, 180) && isWithin(north, 90) && south <= north;
  if (!isBox || rest.length > 0) {
    const expected = 'west,south,east,north in degrees: -180 to 180 and -90 to 90, south not above north';
    throw errors.ERR_NARROWING_MALFORMED({ name: 'bbox', value, expected });
  }
  return { west, south, east, north };
}

function isWithin(value: number | undefined, limit: number): value is number {
  return value !== undefined && Math.abs(value) <= limit;
}

// Plus 0 makes -0 of a key the 0 that it equals.
function degrees(text: string): number {
  return NUMBER.test(text) ? Number(text) + 0 : Number.NaN;
}
