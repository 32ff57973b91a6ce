// What a reader wants of a stream, with one meaning at the server and at the client.
//   ?entity=IRI&type=IRI&bbox=west,south,east,north  --parseFilter-->  Filter
//     { "key": "[[],[\"http://x/Bus\"],[[3.6,51,3.8,51.1]]]", "entities": [], "types": ["http://x/Bus"],
//       "boxes": [{ "west": 3.6, "south": 51, "east": 3.8, "north": 51.1 }] }
//   Member  --filterSubject-->  FilterSubject
//     { "entity": "http://x/bus/7", "kind": "upsert", "types": ["http://x/Bus"], "position": { "longitude": 3.72, "latitude": 51.05 } }
//   matches(filter, subject, where the entity was before)  -->  whether the reader is sent the member
// What moves out of a box is sent too, so the place before counts. A ReplayFilter remembers it while history is sent, and a
// MemberFilter at the client what its reader was given.
import { errors } from './errors.ts';
import type { Member } from './member.ts';
import { memberPosition, type Position, readDegrees } from './position.ts';
import { isIri } from './terms.ts';
import { prefixes, rdf } from './vocabulary.ts';

/** A box of degrees; `west` may be above `east`, across the antimeridian. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The part of a stream that a reader wants: any one of each kind will do, and all kinds that are given have to fit. */
export interface Filter {
  /** Equal filters have equal keys. */
  readonly key: string;
  /** Empty when not filtered by it. */
  readonly entities: ReadonlySet<string>;
  /** A delete says neither type nor place: it fits these. */
  readonly types: ReadonlySet<string>;
  readonly boxes: readonly Box[];
}

/** What filters look at of a member. */
export interface FilterSubject {
  readonly entity: string;
  readonly kind: Member['kind'];
  /** That it is older than the newest version of its entity, which stays where that one is. */
  readonly isOlder?: true | undefined;
  /** Classes of the member and of its entity; empty for a delete. */
  readonly types: readonly string[];
  /** Where it is now; absent where it is nowhere, and for a delete. */
  readonly position?: Position | undefined;
}

/** Where an entity was before a member, as far as that is known. */
export type FormerPosition = Position | undefined | 'nowhere' | 'unknown';

/** What filters look at of a member. */
export function filterSubject(member: Member): FilterSubject {
  const { entity, kind, id, isOlder, quads } = member;
  if (kind === 'delete') return { entity, kind, types: [] };
  const types = quads.filter(
    ({ subject, predicate }) => predicate.value === rdf.type && (subject.value === id || subject.value === entity),
  );
  const position = memberPosition(member);
  return { entity, kind, isOlder, types: types.map(({ object }) => object.value), position };
}

/** The query parameters that filter a stream. */
export const filterParameters: readonly string[] = ['entity', 'type', 'bbox'];

/**
 * Reads the part of a stream that a query asks for: `entity` and `type` (absolute IRIs) and `bbox`
 * (`west,south,east,north`, degrees), each as often as wanted. `undefined` without any of the three: the whole stream.
 *
 * @param limitNarrowing - values of the three that it may have in all, repeated ones included
 * @throws {@link StreamError} `ERR_NARROWING_LIMIT` - it has more values than the limit
 * @throws {@link StreamError} `ERR_NARROWING_MALFORMED` - a value is not an absolute IRI, or not a box of degrees
 * @see specs/push.md PUSH-20, PUSH-26
 */
export function parseFilter(query: URLSearchParams, limitNarrowing: number): Filter | undefined {
  const values = filterParameters.flatMap((name) => query.getAll(name)).length;
  if (values === 0) return undefined;
  if (values > limitNarrowing) throw errors.ERR_NARROWING_LIMIT({ values, limitNarrowing });
  // Each once and in one order, so that those who ask for the same in another share what is made for them.
  const distinct = (name: string, read: (value: string) => string) => [...new Set(query.getAll(name).map(read))].sort();
  const entities = distinct('entity', (value) => checkIri('entity', value));
  const types = distinct('type', (value) => checkIri('type', value));
  // As JSON, whose numbers are those of their texts, but for -0.
  const boxes = distinct('bbox', (value) => JSON.stringify(parseBox(value))).map((text): Box => JSON.parse(text));
  const key = JSON.stringify([
    entities,
    types,
    boxes.map(({ west, south, east, north }) => [west, south, east, north]),
  ]);
  return { key, entities: new Set(entities), types: new Set(types), boxes };
}

/** The query of a filter: {@link parseFilter} reads the same filter from it. */
export function filterQuery({ entities, types, boxes }: Filter): URLSearchParams {
  const query = new URLSearchParams();
  for (const entity of entities) query.append('entity', entity);
  for (const type of types) query.append('type', type);
  for (const { west, south, east, north } of boxes) query.append('bbox', [west, south, east, north].join());
  return query;
}

// What documents shorten by: `geo:51,3` is an IRI of the scheme of that name, `geo:Feature` is not meant to be one.
const SHORTENED = new RegExp(`^(?:${Object.keys(prefixes).join('|')}):[A-Za-z]`);

function checkIri(name: string, value: string): string {
  if (isIri(value) && !SHORTENED.test(value)) return value;
  const expected = 'an absolute IRI, written out as the context of the events has it';
  throw errors.ERR_NARROWING_MALFORMED({ name, value, expected });
}

function parseBox(value: string): Box {
  const numbers = value.split(',').map((text, index) => readDegrees(text, index % 2 === 0 ? 180 : 90) ?? Number.NaN);
  const [west, south, east, north] = numbers as [number, number, number, number];
  if (numbers.length === 4 && !numbers.includes(Number.NaN) && south <= north) return { west, south, east, north };
  const expected = 'west,south,east,north in degrees: -180 to 180 and -90 to 90, south not above north';
  throw errors.ERR_NARROWING_MALFORMED({ name: 'bbox', value, expected });
}

/**
 * Whether a position is in a box, edges included. The antimeridian is one line whichever sign it is written with, and a
 * pole has every longitude.
 */
export function boxHas({ west, south, east, north }: Box, { longitude, latitude }: Position): boolean {
  if (latitude < south || latitude > north) return false;
  const spans = (degrees: number) =>
    west <= east ? west <= degrees && degrees <= east : west <= degrees || degrees <= east;
  return Math.abs(latitude) === 90 || spans(longitude) || (Math.abs(longitude) === 180 && spans(-longitude));
}

/**
 * Whether a reader wants a member. `was`: where its entity was before; one that may have been in a box may have left it.
 *
 * @see specs/push.md PUSH-20, PUSH-24
 */
export function matches({ entities, types, boxes }: Filter, subject: FilterSubject, was: FormerPosition): boolean {
  if (entities.size > 0 && !entities.has(subject.entity)) return false;
  // What a delete is of, and where that was, only those can tell who had it.
  if (subject.kind === 'delete') return true;
  if (!hasClass(types, subject)) return false;
  return boxes.length === 0 || isInOne(boxes, subject.position) || isInOne(boxes, was);
}

/**
 * Where a living entity was, to the reader of a filter, by the version before. One that its classes leave out does not tell:
 * the reader was not given it, and may still have the entity from before it.
 *
 * @see specs/push.md PUSH-24
 */
export function positionBefore({ types }: Filter, before: FilterSubject): FormerPosition {
  return hasClass(types, before) ? (before.position ?? 'nowhere') : 'unknown';
}

function hasClass(asked: ReadonlySet<string>, { types }: FilterSubject): boolean {
  return asked.size === 0 || types.some((type) => asked.has(type));
}

function isInOne(boxes: readonly Box[], where: FormerPosition): boolean {
  if (where === 'unknown') return true;
  if (where === undefined || where === 'nowhere') return false;
  return boxes.some((box) => boxHas(box, where));
}

interface ReplayFilterOptions {
  /** Whether the members are the whole state, before which its reader had nothing. @defaultValue false */
  readonly isWholeState?: boolean;
  /** Entities outside the boxes to remember: past them more is sent, not less. @defaultValue 10,000 */
  readonly limitRemembered?: number;
}

/**
 * What one reader of a filtered stream is sent of a replay.
 *
 * Where entities were before the replay is not known, so that an entity that comes up first is sent wherever it is.
 *
 * @see specs/push.md PUSH-25
 */
export class ReplayFilter {
  readonly #filter: Filter;
  readonly #isWholeState: boolean;
  readonly #limitRemembered: number;
  // All that counts of where an entity was: that it was in no box. Those with the others would be the larger part.
  readonly #outside = new Set<string>();

  constructor(filter: Filter, { isWholeState = false, limitRemembered = 10_000 }: ReplayFilterOptions = {}) {
    this.#filter = filter;
    this.#isWholeState = isWholeState;
    this.#limitRemembered = limitRemembered;
  }

  /** Which of the next members are for the reader, by their places in the list. To be called once with each, in order. */
  choose(subjects: readonly FilterSubject[]): readonly number[] {
    const chosen: number[] = [];
    for (const [place, subject] of subjects.entries()) {
      const wasOutside = this.#isWholeState || this.#outside.has(subject.entity);
      if (matches(this.#filter, subject, wasOutside ? 'nowhere' : 'unknown')) chosen.push(place);
      if (!this.#isWholeState) this.#follow(subject);
    }
    return chosen;
  }

  #follow(subject: FilterSubject): void {
    const { entity, kind, isOlder } = subject;
    const { entities, boxes } = this.#filter;
    if (isOlder || boxes.length === 0 || (entities.size > 0 && !entities.has(entity))) return;
    const isOutside = kind === 'upsert' && !isInOne(boxes, positionBefore(this.#filter, subject));
    if (!isOutside) this.#outside.delete(entity);
    else if (this.#outside.size < this.#limitRemembered) this.#outside.add(entity);
  }
}

/** What a member is to the reader of a filtered stream: it fits, or it ends what the reader was or may have been given. */
export type FilterMatch = 'inside' | 'leaving';

interface MemberFilterOptions {
  /** Whether the reader has nothing yet and is given all that fits, so that it has what it was given. @defaultValue false */
  readonly isWhole?: boolean;
  /** Entities that the reader does not have to remember where that is not so: past them it is given more, not less. */
  readonly limitRemembered: number;
}

/**
 * What one reader is given of a stream, whatever of it comes: the whole stream, or what a server filtered alike.
 *
 * @see specs/mal.md MAL-97, MAL-98
 */
export class MemberFilter {
  readonly #filter: Filter;
  readonly #limitRemembered: number;
  #isWhole: boolean;
  // Of a reader that is given all: the entities that it has, no more than it keeps itself. Of others: those that it has not.
  readonly #known = new Set<string>();

  constructor(filter: Filter, { isWhole = false, limitRemembered }: MemberFilterOptions) {
    this.#filter = filter;
    this.#isWhole = isWhole;
    this.#limitRemembered = limitRemembered;
  }

  /** The reader has nothing any more, and is given all that fits from here on. */
  restart(): void {
    this.#isWhole = true;
    this.#known.clear();
  }

  /** What a member is to the reader; `undefined` where it is left out. */
  match(member: Member): FilterMatch | undefined {
    const { entity, kind } = member;
    const { entities } = this.#filter;
    // Before its quads are looked at.
    if (entities.size > 0 && !entities.has(entity)) return undefined;
    const mayHave = this.#isWhole === this.#known.has(entity);
    if (kind === 'delete') return mayHave ? 'leaving' : undefined;
    const subject = filterSubject(member);
    if (matches(this.#filter, subject, 'nowhere')) return 'inside';
    return mayHave && matches(this.#filter, subject, 'unknown') ? 'leaving' : undefined;
  }

  /** Takes note that the reader was given the newest version of an entity. */
  given({ entity }: Pick<Member, 'entity'>, match: FilterMatch): void {
    if (this.#isWhole !== (match === 'inside')) this.#known.delete(entity);
    else if (this.#isWhole || this.#known.size < this.#limitRemembered) this.#known.add(entity);
  }
}
