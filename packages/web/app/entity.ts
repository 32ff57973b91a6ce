/*
 * What a member says of its entity, as views need it: values by property, a label, a place and a heading.
 *
 *   quads of http://h/vehicles/entities/12#2026-...
 *   -> facts    Map { 'http://.../speed' => [6.6], 'http://.../hasResult http://.../numericValue' => [21.5], ... }
 *   -> label 'Tram 12', position { longitude: 3.44, latitude: 51 }, headingDegrees 9
 *
 * A property that leads to one node of the member goes on with the properties of that node: two steps at most. The facts
 * are read when a view first asks for them: most of what streams by is never looked at.
 */
import type { Member } from '@ldes-live/client';
import { memberPosition, type Position } from '@ldes-live/rdf-stream/position';
import { dct, live, prov, rdf } from '@ldes-live/rdf-stream/vocabulary';
import type { Quad, Term } from '@rdfjs/types';
import { localName, numberOf } from './labels.ts';

/** Values by the IRI of their property, or by the IRIs of two that are nested with a space between them. */
export type Facts = ReadonlyMap<string, readonly Term[]>;

const GEO = 'http://www.opengis.net/ont/geosparql#';
const WGS = 'http://www.w3.org/2003/01/geo/wgs84_pos#';
// What belongs to the version and not to the entity, and places, which have views of their own.
const HIDDEN: ReadonlySet<string> = new Set([
  dct.isVersionOf,
  prov.generatedAtTime,
  live.sequence,
  `${GEO}hasGeometry`,
  `${WGS}lat`,
  `${WGS}long`,
]);

const LABELS = [
  'http://www.w3.org/2000/01/rdf-schema#label',
  'http://schema.org/name',
  'https://schema.org/name',
  'http://xmlns.com/foaf/0.1/name',
  'http://purl.org/dc/terms/title',
  'http://www.w3.org/2004/02/skos/core#prefLabel',
];
// Where there is none of these: what a source calls its things, such as `vehicleLabel`.
const OTHER_LABEL = /(?:label|name|title|headline)$/i;
const HEADINGS = /^(bearing|heading|course|courseOverGround|trueHeading)$/i;

/** One living entity with its newest version. */
export class Entity {
  readonly iri: string;
  member: Member;
  /** When the page got its newest version, epoch milliseconds. */
  changedAtMs: number;
  /** Versions that the page got. */
  versions = 1;
  #facts: Facts | undefined;
  #text: string | undefined;
  #label: string | undefined;
  #position: Position | null | undefined;

  constructor(member: Member, nowMs: number) {
    this.iri = member.entity;
    this.member = member;
    this.changedAtMs = nowMs;
  }

  update(member: Member, nowMs: number): void {
    this.member = member;
    this.changedAtMs = nowMs;
    this.versions += 1;
    this.#facts = undefined;
    this.#text = undefined;
    this.#label = undefined;
    this.#position = undefined;
  }

  get facts(): Facts {
    this.#facts ??= factsOf(this.member);
    return this.#facts;
  }

  get label(): string {
    this.#label ??= labelOf(this.member) ?? placeInStream(this.iri);
    return this.#label;
  }

  get position(): Position | undefined {
    // `null`: it was looked for.
    this.#position ??= positionOf(this.member) ?? null;
    return this.#position ?? undefined;
  }

  /** Clockwise from north. */
  get headingDegrees(): number | undefined {
    for (const { predicate, object } of this.member.quads) {
      if (HEADINGS.test(localName(predicate.value))) return numberOf(object);
    }
    return undefined;
  }

  /** In lower case, for searches. */
  textOf(write: (terms: readonly Term[]) => string): string {
    this.#text ??= [this.label, ...[...this.facts.values()].map(write)].join(' ').toLowerCase();
    return this.#text;
  }
}

export function labelOf({ quads, id, entity }: Member): string | undefined {
  let found: { rank: number; text: string } | undefined;
  for (const { subject, predicate, object } of quads) {
    const known = LABELS.indexOf(predicate.value);
    const rank = known < 0 && OTHER_LABEL.test(predicate.value) ? LABELS.length : known;
    if (
      rank < 0 ||
      object.termType !== 'Literal' ||
      object.value.trim() === '' ||
      (subject.value !== id && subject.value !== entity)
    )
      continue;
    if (!found || rank < found.rank) found = { rank, text: object.value };
  }
  return found?.text;
}

/** `http://h/trips/entities/1-out/17%3A40/update` -> `1-out/17:40/update`: more than its end, where that says nothing. */
function placeInStream(iri: string): string {
  const [, place] = /\/entities\/(?:[^/]+\/)?(.+)/.exec(iri) ?? [];
  return place === undefined ? localName(iri) : place.split('/').map(localName).join('/');
}

/** Where a member is: of the version or of the entity, whichever its quads speak of. */
export function positionOf(member: Member): Position | undefined {
  return memberPosition(member) ?? memberPosition({ id: member.entity, quads: member.quads });
}

export function factsOf({ quads, id, entity }: Member): Facts {
  const nodes = nodesOf(quads);
  const facts = new Map<string, Term[]>();
  const add = (path: string, term: Term) => {
    const terms = facts.get(path);
    if (terms) terms.push(term);
    else facts.set(path, [term]);
  };
  for (const subject of new Set([id, entity])) {
    for (const { predicate, object } of nodes.get(subject) ?? []) {
      if (!HIDDEN.has(predicate.value)) add(predicate.value, object);
    }
  }
  // The first node of a property is gone into, such as the next stop of a trip.
  for (const [path, terms] of [...facts]) {
    const [term] = terms;
    const inner = term && term.value !== id && term.value !== entity ? nodes.get(term.value) : undefined;
    if (!inner) continue;
    facts.delete(path);
    for (const { predicate, object } of inner)
      if (predicate.value !== rdf.type) add(`${path} ${predicate.value}`, object);
  }
  return facts;
}

/** The statements of a member by the node that they speak of. */
export function nodesOf(quads: readonly Quad[]): ReadonlyMap<string, readonly Quad[]> {
  const nodes = new Map<string, Quad[]>();
  for (const quad of quads) {
    const known = nodes.get(quad.subject.value);
    if (known) known.push(quad);
    else nodes.set(quad.subject.value, [quad]);
  }
  return nodes;
}

/** The points of a line or of lines in WKT, such as the shape of a route; `[]` where the member has none. */
export function linesOf({ quads }: Member): [number, number][][] {
  return quads.flatMap(({ predicate, object }) => {
    if (predicate.value !== `${GEO}asWKT` || !/LINESTRING/i.test(object.value.slice(0, 100))) return [];
    const parts = object.value.slice(object.value.indexOf('(')).split(/\)\s*,\s*\(/);
    return parts.map((part) =>
      part
        .replaceAll(/[()]/g, '')
        .split(',')
        .map((pair) => pair.trim().split(/\s+/, 2).map(Number) as [number, number])
        .filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y)),
    );
  });
}

// Numbers that count, name or point, and measure nothing.
const NO_MEASURE = /(?:Id|sequence|identifier|number|code|bearing|heading)$/i;

/** Properties whose values are numbers, those first that most entities have and that measure something. */
export function numericPaths({ entities }: { readonly entities: ReadonlyMap<string, Entity> }): string[] {
  const counts = new Map<string, number>();
  for (const { facts } of [...entities.values()].slice(0, 300)) {
    for (const [path, [term]] of facts) {
      if (numberOf(term) !== undefined) counts.set(path, (counts.get(path) ?? 0) + (NO_MEASURE.test(path) ? 0.01 : 1));
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([path]) => path);
}
