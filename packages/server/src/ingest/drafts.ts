/* A posted member -> what is published of it.
 *
 *   <http://e/a/1> dct:isVersionOf <http://e/a> ; sosa:resultTime "2026-01-01T12:00:00Z"^^xsd:dateTime ; <http://e/p> 1 .
 *     -> { kind: 'upsert', entity: 'http://e/a', id: 'http://e/a/1', versionTime: '2026-01-01T12:00:00Z', origin: 'post',
 *          fingerprint: 'http://e/a/1', quads: [two statements] }
 *
 * Without dct:isVersionOf it is the state of the entity that its IRI names: no `id`, and a hash for a fingerprint. A member of
 * type as:Delete ends its entity. A stream with a shape validates what is not an end. */

import { createHash } from 'node:crypto';
import {
  as,
  blankNode,
  type Draft,
  dct,
  quad as makeQuad,
  namedNode,
  prov,
  rdf,
  type StreamDescription,
  sosa,
  writeQuads,
  xsd,
} from '@ldes-live/rdf-stream';
import type { DatasetCore, Quad, Quad_Object, Term } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { type ContentShape, RESERVED_NAMES } from '../options.ts';
import type { WorkTurns } from '../work-turns.ts';
import type { PostedMember } from './rdf-members.ts';

/** Which feed posted members come from. */
export const POST_ORIGIN = 'post';

/** What {@link postedDraft} takes besides a member. */
export interface DraftOptions {
  readonly sequencePath: string;
  /** Whether an IRI is the server's own: what there is to say of it the server says itself. */
  readonly isOwnIri: (iri: string) => boolean;
  readonly turns: WorkTurns;
  /** Absent where anything is valid. */
  readonly validate: MemberValidator | undefined;
}

/**
 * What is published of a posted member. What the server states itself is left out.
 *
 * @throws {@link StreamError} `ERR_POST_VERSION`, `ERR_POST_OWN_IRI`, `ERR_POST_TIME`, `ERR_POST_NOTHING_SAID`,
 * `ERR_POST_INVALID`, `ERR_POST_UNCHECKABLE`
 * @see specs/ingest.md ING-14, ING-15, ING-16, ING-17, ING-18, ING-53
 */
export function postedDraft(member: PostedMember, options: DraftOptions): Draft | Promise<Draft> {
  const { sequencePath, isOwnIri, turns, validate } = options;
  const { iri } = member;
  const entities: Quad_Object[] = [];
  const times: Quad_Object[] = [];
  const quads: Quad[] = [];
  let isEnd = false;
  for (const quad of member.quads) {
    const { predicate, object } = quad;
    if (quad.subject.termType === 'NamedNode') {
      if (predicate.value === dct.isVersionOf) {
        entities.push(object);
        continue;
      }
      if (predicate.value === prov.generatedAtTime || predicate.value === sequencePath) continue;
      if (predicate.value === sosa.resultTime) times.push(object);
      else if (predicate.value === rdf.type && object.value === as.Delete) isEnd = true;
    }
    quads.push(quad);
  }
  const entity = entityOf(iri, entities);
  assertFreeIris(iri, entity, isOwnIri);
  // Kept for as long as the entity lives.
  const base = { entity: detached(entity ?? iri), origin: POST_ORIGIN };
  const version = entity === undefined ? {} : { id: detached(iri) };
  if (isEnd) return { ...base, ...version, kind: 'delete' };
  if (quads.length === 0) {
    const problem = 'it has only statements that the server adds itself. Add statements to publish';
    throw errors.ERR_POST_NOTHING_SAID({ node: `The member ${iri}`, problem });
  }
  const versionTime = timeOf(iri, times);
  const time = versionTime === undefined ? {} : { versionTime: detached(versionTime) };
  validate?.(member);
  const draft = (fingerprint: string): Draft => ({ ...base, ...version, ...time, kind: 'upsert', quads, fingerprint });
  const fingerprint = version.id ?? stateFingerprint(quads, turns);
  return typeof fingerprint === 'string' ? draft(fingerprint) : fingerprint.then(draft);
}

/** The same text in memory of its own: what is cut out of a larger text holds all of that in memory. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}

/** Below a stream: of entities, of which anything may be said. */
const OF_ENTITIES = /^\/entities\/./s;

/**
 * Makes the test for the IRIs of a server's documents, of what is described in these, and of its vocabularies.
 *
 * @param streams - all that it publishes
 * @see specs/ingest.md ING-53
 */
export function ownIris(streams: readonly Pick<StreamDescription, 'publicUrl' | 'name'>[]): (iri: string) => boolean {
  const { publicUrl = '' } = streams[0] ?? {};
  // Below `id` there are entities, too.
  const taken = new Set([...RESERVED_NAMES.filter((name) => name !== 'id'), ...streams.map(({ name }) => name)]);
  return (iri) => {
    if (!iri.startsWith(publicUrl)) return false;
    const below = iri.slice(publicUrl.length);
    const [name = ''] = below.split(/[/?#]/, 1);
    const rest = below.slice(name.length);
    // Without a name it is the catalogue, or stands in it.
    return name === '' ? !rest.startsWith('/') : taken.has(name) && !OF_ENTITIES.test(rest);
  };
}

/** A version of the IRI that the log makes of an entity and a time: it might make the same. */
function isMadeByLog(iri: string): boolean {
  const at = Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/'));
  return iri.lastIndexOf('#', at) >= 0 && LOG_TIME.test(iri.slice(at + 1));
}

const LOG_TIME = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function assertFreeIris(member: string, entity: string | undefined, isOwnIri: DraftOptions['isOwnIri']): void {
  const refused = (iri: string, problem: string) => errors.ERR_POST_OWN_IRI({ member, iri, problem });
  for (const iri of [member, entity ?? member]) {
    if (isOwnIri(iri)) throw refused(iri, 'which the server uses itself');
  }
  if (entity === undefined || !isMadeByLog(member)) return;
  throw refused(member, 'which looks like a version IRI of the server');
}

function entityOf(member: string, [entity, ...others]: readonly Quad_Object[]): string | undefined {
  if (!entity) return undefined;
  const problem = (text: string) => errors.ERR_POST_VERSION({ member, problem: text });
  if (others.length > 0) throw problem('is a version of several entities');
  if (entity.termType !== 'NamedNode') throw problem('is a version of an entity without IRI');
  if (entity.value === member) throw problem('is a version of itself');
  return entity.value;
}

/** The one time that is stated; `undefined` where there is none. No reader could take a stream with another. */
function timeOf(member: string, [time, ...others]: readonly Quad_Object[]): string | undefined {
  if (!time) return undefined;
  const other = others.find((candidate) => !candidate.equals(time));
  if (other) throw errors.ERR_POST_TIME({ member, value: `${time.value}, ${other.value}` });
  const isTime = time.termType === 'Literal' && time.datatype.value === xsd.dateTime && isXsdDateTime(time.value);
  if (!isTime) throw errors.ERR_POST_TIME({ member, value: time.value });
  return time.value;
}

const DATE_TIME =
  /^(\d{4}-(\d\d)-(\d\d))T(?:([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?$/;

/** Of the years 0000 to 9999, as readers take it. @see https://www.w3.org/TR/xmlschema11-2/#dateTime */
function isXsdDateTime(text: string): boolean {
  const [, date, month, day] = DATE_TIME.exec(text) ?? [];
  if (date === undefined) return false;
  const midnight = new Date(`${date}T00:00:00Z`);
  // The 30th of February would be taken for the 2nd of March.
  return midnight.getUTCMonth() + 1 === Number(month) && midnight.getUTCDate() === Number(day);
}

/** Characters of base64: 128 bits. */
const FINGERPRINT_CHARACTERS = 22;

/** How far nodes are looked into that refer to one another in a tangle. */
const ROUNDS = 16;

/**
 * A hash that is equal for equal statements, in whatever order and with whatever labels of blank nodes. Stored states are
 * compared by it, also after an upgrade.
 *
 * A blank node is named by its statements and those of the nodes that it refers to, which is exact for nested ones. Where
 * that leaves several alike that refer to one another, their order counts too: such statements in another order have another
 * hash, and others never have the same.
 *
 * @param given - in the default graph
 * @returns a promise where blank nodes refer to one another, which takes long
 * @see specs/ingest.md ING-21
 */
function stateFingerprint(given: readonly Quad[], turns: WorkTurns): string | Promise<string> {
  const quads = [...new Map(linesOf(given).map((line, index) => [line, given[index] as Quad])).values()];
  const labels = [...new Set(quads.flatMap(({ subject, object }) => [...labelOf(subject), ...labelOf(object)]))];
  if (labels.length === 0) return hashOf(quads);
  const hash = (names: ReadonlyMap<string, string>) => hashOf(renamed(quads, (label) => names.get(label) as string));
  const names = namesInTree(quads, labels);
  return names ? hash(names) : namesInTangle(quads, labels, turns).then(hash);
}

/** Names of nodes of which each is referred to once at most: those that are alike can be exchanged. Else `undefined`. */
function namesInTree(quads: readonly Quad[], labels: readonly string[]): Map<string, string> | undefined {
  const referred = quads.flatMap(({ object }) => labelOf(object));
  if (new Set(referred).size < referred.length) return undefined;
  const statements = byNode(quads, ({ subject }) => [subject]);
  const about = (label: string) => statements.get(label) ?? [];
  const inner = new Set(labels.flatMap((label) => about(label).flatMap(({ object }) => labelOf(object))));
  const order = labels.filter((label) => !inner.has(label));
  // What is added on the way is walked, too.
  for (const label of order) order.push(...about(label).flatMap(({ object }) => labelOf(object)));
  // Only a statement that is left out may have referred to nodes in a ring.
  if (order.length < labels.length) return undefined;
  const names = new Map<string, string>();
  for (const label of order.reverse()) names.set(label, nameOf(about(label), label, names));
  return names;
}

async function namesInTangle(quads: readonly Quad[], labels: readonly string[], turns: WorkTurns) {
  const statements = byNode(quads, ({ subject, object }) => [subject, object]);
  let names = new Map(labels.map((label) => [label, 'b']));
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = names;
    names = new Map();
    for (const label of labels) {
      names.set(label, nameOf(statements.get(label) ?? [], label, before));
      const wait = turns.pause();
      if (wait) await wait;
    }
  }
  if (new Set(names.values()).size === labels.length) return names;
  return new Map(labels.map((label, index) => [label, `${names.get(label)}x${index}`]));
}

/** A name that follows from the statements of a node. */
function nameOf(about: readonly Quad[], label: string, names: ReadonlyMap<string, string>): string {
  const text = sortedLines(renamed(about, (other) => (other === label ? 'self' : (names.get(other) as string))));
  return `b${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

function byNode(quads: readonly Quad[], nodesOf: (quad: Quad) => readonly Term[]): Map<string, Quad[]> {
  const statements = new Map<string, Quad[]>();
  for (const quad of quads) {
    for (const label of new Set(nodesOf(quad).flatMap(labelOf))) {
      const own = statements.get(label);
      if (own) own.push(quad);
      else statements.set(label, [quad]);
    }
  }
  return statements;
}

function labelOf(term: Term): string[] {
  return term.termType === 'BlankNode' ? [term.value] : [];
}

function renamed(quads: readonly Quad[], nameFor: (label: string) => string): Quad[] {
  const rename = <Kind extends Term>(term: Kind): Kind =>
    term.termType === 'BlankNode' ? (blankNode(nameFor(term.value)) as Term as Kind) : term;
  return quads.map(({ subject, predicate, object }) =>
    makeQuad(rename(subject), predicate as Parameters<typeof makeQuad>[1], rename(object)),
  );
}

function hashOf(quads: readonly Quad[]): string {
  return createHash('sha256').update(sortedLines(quads)).digest('base64').slice(0, FINGERPRINT_CHARACTERS);
}

function sortedLines(quads: readonly Quad[]): string {
  return linesOf(quads).sort().join('\n');
}

function linesOf(quads: readonly Quad[]): string[] {
  return writeQuads(quads, 'nquads', {}).trimEnd().split('\n');
}

/** Refuses a member that is not as the shape says. @throws {@link StreamError} `ERR_POST_INVALID`, `ERR_POST_UNCHECKABLE` */
type MemberValidator = (member: PostedMember) => void;

/** How many violations of a member an error has. */
const LIMIT_VIOLATIONS = 10;

/**
 * Makes a validator of a shape. What the server states itself need not be in a member, and is not looked at.
 *
 * @throws {@link StreamError} `ERR_SHAPE_UNUSABLE`
 * @see specs/ingest.md ING-30
 */
export async function createMemberValidator(
  shape: ContentShape,
  { name: stream, sequencePath }: Pick<StreamDescription, 'name' | 'sequencePath'>,
): Promise<MemberValidator> {
  if (!shape.quads.some(({ subject }) => subject.value === shape.iri)) {
    throw errors.ERR_SHAPE_UNUSABLE({ stream, reason: `it does not describe ${shape.iri}` });
  }
  const ofServer: ReadonlySet<string> = new Set([dct.isVersionOf, prov.generatedAtTime, sequencePath]);
  try {
    const validate = await loadValidator(shape);
    // What is wrong with the shape is found when it is used.
    validate([], shape.iri);
    return ({ iri, quads }) => {
      const violations = validate(quads, iri)
        .filter(({ path }) => !ofServer.has(path?.value ?? ''))
        .slice(0, LIMIT_VIOLATIONS)
        .map((result) => violationOf(result, iri));
      if (violations.length > 0) throw errors.ERR_POST_INVALID({ member: iri, violations });
    };
  } catch (cause) {
    throw errors.ERR_SHAPE_UNUSABLE({ stream, reason: (cause as Error).message }, cause);
  }
}

/** Results of a validation, as the library gives them. */
interface Result {
  readonly path: Term | null;
  readonly message: readonly Term[];
  readonly focusNode: Term | null;
  readonly sourceConstraintComponent: Term | null;
  readonly value: Term | null;
}

/** As an error has it: `path` an IRI, `constraint` such as `sh:MinCountConstraintComponent`, `node` where it is not the member. */
function violationOf({ path, message, focusNode, sourceConstraintComponent, value }: Result, iri: string) {
  const constraint = sourceConstraintComponent?.value ?? '';
  const text =
    message.map((part) => part.value).join(' ') ||
    constraint.slice(constraint.lastIndexOf('#') + 1).replace(/ConstraintComponent$/, '');
  return {
    path: path?.value ?? 'the member',
    message: text,
    constraint,
    ...(value && { value: value.value }),
    ...(focusNode && focusNode.value !== iri && { node: focusNode.value }),
  };
}

async function loadValidator(
  shape: ContentShape,
): Promise<(quads: readonly Quad[], focus: string) => readonly Result[]> {
  const [{ default: Validator }, { Store }] = await Promise.all([import('rdf-validate-shacl'), import('n3')]);
  // A store of n3 has the interface of a dataset, and finds by index.
  const dataset = (quads: readonly Quad[]) => new Store([...quads] as never) as unknown as DatasetCore;
  const validator = new Validator(dataset(shape.quads));
  const root = namedNode(shape.iri);
  return (quads, focus) => {
    // In one go: posts take turns between members. Each gets a report of its own.
    const engine = validator.validationEngine.clone();
    engine.initReport();
    validator.$data = validator.factory.clownface({ dataset: dataset(quads) });
    try {
      validator.nodeConformsToShape(namedNode(focus), root, engine as never);
    } catch (cause) {
      // Along a shape that refers to itself the stack is at its end.
      throw cause instanceof RangeError ? errors.ERR_POST_UNCHECKABLE({ member: focus }, cause) : cause;
    }
    return engine.getReport().results as unknown as readonly Result[];
  };
}
