import {
  blankNode,
  type DeleteDraft,
  type Draft,
  describeStream,
  languageLiteral,
  literal,
  type Member,
  namedNode,
  quad,
  rdf,
  type StreamDescription,
  type UpsertDraft,
  xsd,
} from '@ldes-live/rdf-stream';
import { onTestFinished } from 'vitest';
import type { Log, LogStore, LogStoreOptions, ReadableLog } from '../src/log.ts';

/** One place where a store can be, empty at first. */
interface StorePlace {
  /** Opens the store that is there, whoever closed it before. */
  open(options: LogStoreOptions): Promise<LogStore>;
  /** Frees the place; the store is closed by then. */
  remove(): Promise<void>;
}

/** A kind of store to be tested. */
export interface StoreSubject {
  readonly name: string;
  /** Whether a store that is closed and opened again still has its logs. */
  readonly persists: boolean;
  /** Makes a place for one test. */
  newPlace(): Promise<StorePlace>;
  /** How a log of it is read, if not by itself. */
  read?(log: Log): Promise<ReadableLog>;
}

/** The time at which the fixtures' clocks stand, epoch milliseconds. */
export const NOON_MS = Date.UTC(2026, 10, 21, 12);

/** The stream that most tests write. */
export const vehicles: StreamDescription = describeStream({ publicUrl: 'http://localhost:3000/', name: 'vehicles' });

/** Opens the store of a place of its own, over and again; what is open is closed with the test. */
export async function newOpener(subject: StoreSubject, options: Partial<LogStoreOptions> = {}) {
  const place = await subject.newPlace();
  onTestFinished(() => place.remove());
  return async (given: Partial<LogStoreOptions> = {}): Promise<LogStore> => {
    const store = await place.open({ clock: () => NOON_MS, random: () => 0.5, ...options, ...given });
    onTestFinished(() => store.close());
    return store;
  };
}

/** A store in a place of its own, closed and removed with the test. */
export async function openStore(subject: StoreSubject, options: Partial<LogStoreOptions> = {}): Promise<LogStore> {
  return (await newOpener(subject, options))();
}

/** An empty log of {@link vehicles}, closed and removed with the test. */
export async function openLog(subject: StoreSubject, options: Partial<LogStoreOptions> = {}): Promise<Log> {
  return (await openStore(subject, options)).open(vehicles);
}

/** An empty log, and who reads it. */
export async function openReader(subject: StoreSubject, options: Partial<LogStoreOptions> = {}) {
  const log = await openLog(subject, options);
  return { log, reader: (await subject.read?.(log)) ?? log };
}

const EX = 'http://example.org/';

/** IRI of an entity of the fixtures. */
export function entityIri(key: string | number): string {
  return `${EX}vehicles/${key}`;
}

/** A new state of an entity, with every kind of term that may be in one. */
export function upsert(key: string | number, state: string | number = 0, origin = 'feed'): UpsertDraft {
  const entity = entityIri(key);
  const [node, position, stop] = [namedNode(entity), blankNode('position'), blankNode('stop')];
  return {
    kind: 'upsert',
    entity,
    origin,
    fingerprint: `${key}/${state}`,
    versionTime: '2026-11-21T11:59:58Z',
    quads: [
      quad(node, namedNode(rdf.type), namedNode(`${EX}Vehicle`)),
      quad(node, namedNode(`${EX}label`), languageLiteral(`Line "${state}"\n\\ \u{1F68B} \u0001`, 'nl-BE')),
      quad(node, namedNode(`${EX}speed`), literal('12.50', xsd.decimal)),
      quad(node, namedNode(`${EX}note`), literal('')),
      quad(node, namedNode(`${EX}position`), position),
      quad(position, namedNode(`${EX}nearest`), stop, namedNode(`${EX}graph`)),
      quad(stop, namedNode(`${EX}of`), node, blankNode('graph')),
    ],
  };
}

/** The end of an entity. */
export function remove(key: string | number, origin = 'feed'): DeleteDraft {
  return { kind: 'delete', entity: entityIri(key), origin };
}

/** A draft with an IRI that no syntax can write. */
export function unwritable(key: string | number): Draft {
  const broken = quad(namedNode(entityIri(key)), namedNode(`${EX}link`), namedNode(`${EX}a> b`));
  return { ...upsert(key), quads: [broken] };
}

/** All of a member as plain text and numbers, blank node labels and the order of quads included. */
export function plain(member: Member): unknown {
  const { nquads: _, ...rest } = member;
  return {
    ...rest,
    quads: member.quads.map(({ subject, predicate, object, graph }) =>
      [subject, predicate, object, graph].map(plainTerm),
    ),
  };
}

function plainTerm(term: Member['quads'][number]['object' | 'graph']): readonly string[] {
  return term.termType === 'Literal'
    ? [term.termType, term.value, term.language, term.datatype.value]
    : [term.termType, term.value];
}
