/*
 * One page of a tree: fetched, indexed in one pass, then read as a node with links and as a list of members.
 *
 * <s> tree:member <m1> . <p> tree:relation [ tree:node <q> ] -> { links: [{ url: 'q', bounds }], isImmutable } and
 * { id: 'm1', entity: 'e', timeMs, quads, ... }. What a page says may go in circles, so its looks are counted.
 */
import { ldes, type Member, parsedUrl, rdf, termKey, tree } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { type DocumentHead, findDocument, type readDocument, type StreamDocument } from '../http/document.ts';
import { pauses } from '../waiting.ts';
import type { TreeContext } from './entry.ts';
import {
  type Bounds,
  EVERYTHING,
  type Interval,
  intersection,
  orderSpan,
  relationInterval,
  UNBOUNDED,
} from './order.ts';
import { evaluatePath, type PropertyPath, pathKey, readPath } from './property-path.ts';

export interface FetchedPage {
  readonly head: DocumentHead;
  /** Absent where it is as it was (304). */
  readonly index?: PageIndex;
}

/** Asks for a page of a tree; `undefined` where it was removed for good, by status 410 (READ-19). */
export async function fetchPage(...request: Parameters<typeof readDocument>): Promise<FetchedPage | undefined> {
  const document = await findDocument([410], ...request);
  return document?.quads ? await indexed(document) : document && { head: document };
}

export async function indexed({ quads = [], ...head }: StreamDocument): Promise<Required<FetchedPage>> {
  return { head, index: await PageIndex.of(quads, head.url) };
}

const NONE: readonly Quad[] = [];

/** Quads of a page that are indexed before others may have their turn. */
const INDEXED_AT_ONCE = 4096;

/**
 * How often the quads of a page may be looked at in all. Blank nodes and property paths may share what they lead to, or go in
 * circles; a page of any publisher takes time by its size only.
 */
export const MOST_LOOKS = { perQuad: 64, besides: 1_000_000 };

/** The quads of a page by what reading it looks for. */
export class PageIndex {
  readonly quads: readonly Quad[];
  /** The objects of `tree:member` by stream, in the order of the page. */
  readonly members = new Map<string, Term[]>();
  // By subject; for IRIs those of the default graph alone.
  readonly #stars = new Map<string, Quad[]>();
  // By the IRI of the graph.
  readonly #graphs = new Map<string, Quad[]>();
  #incoming: Map<string, Quad[]> | undefined;
  readonly #url: string;
  #looksLeft: number;

  private constructor(quads: readonly Quad[], url: string) {
    this.quads = quads;
    this.#url = url;
    this.#looksLeft = MOST_LOOKS.perQuad * quads.length + MOST_LOOKS.besides;
  }

  /** @param url - of the page, for errors */
  static async of(quads: readonly Quad[], url: string): Promise<PageIndex> {
    const index = new PageIndex(quads, url);
    const pause = pauses();
    for (let from = 0; from < quads.length; from += INDEXED_AT_ONCE) {
      index.#add(quads.slice(from, from + INDEXED_AT_ONCE));
      await pause();
    }
    return index;
  }

  #add(quads: readonly Quad[]): void {
    let last = '';
    let star: Quad[] = [];
    for (const quad of quads) {
      const { subject, graph } = quad;
      if (quad.predicate.value === tree.member) add(this.members, subject.value, quad.object);
      if (graph.termType === 'NamedNode') add(this.#graphs, graph.value, quad);
      if (graph.termType !== 'DefaultGraph' && subject.termType === 'NamedNode') continue;
      const key = termKey(subject);
      // Most documents say what they say of a subject in one go.
      if (key !== last) {
        star = this.#stars.get(key) ?? [];
        if (star.length === 0) this.#stars.set(key, star);
        last = key;
      }
      star.push(quad);
    }
  }

  /** What the default graph says of an IRI, or any graph of a blank node (READ-36). */
  star(key: string): readonly Quad[] {
    return this.#looked(this.#stars.get(key));
  }

  /** Everything in the graph that an IRI names. */
  graph(iri: string): readonly Quad[] {
    return this.#looked(this.#graphs.get(iri));
  }

  /** What refers to a node, in any graph. */
  incoming(key: string): readonly Quad[] {
    if (!this.#incoming) {
      this.#incoming = new Map();
      for (const quad of this.quads) add(this.#incoming, termKey(quad.object), quad);
    }
    return this.#looked(this.#incoming.get(key));
  }

  /** What a star says by one property. */
  objects(key: string, property: string): Term[] {
    const found: Term[] = [];
    for (const { predicate, object } of this.star(key)) if (predicate.value === property) found.push(object);
    return found;
  }

  #looked(found: readonly Quad[] = NONE): readonly Quad[] {
    this.#looksLeft -= 1 + found.length;
    if (this.#looksLeft < 0) throw errors.ERR_TREE_PAGE_TANGLED({ url: this.#url, quads: this.quads.length });
    return found;
  }
}

function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

export interface TreeLink {
  /** Absolute, without fragment. */
  readonly url: string;
  /** What the relations to it, all together, say of its members. */
  readonly bounds: Bounds;
}

/**
 * Reads a page as a node of the tree: the pages that it leads to, each once and in the order of the page, and whether it
 * says that it will never change. Only relations whose `tree:path` is the stream's timestampPath or sequencePath bound
 * anything (READ-10).
 *
 * @param urls - IRIs by which the page may name itself: where it came from, and where it was asked for
 */
export async function readNode(
  index: PageIndex,
  urls: readonly string[],
  context: Pick<TreeContext, 'timestampPath' | 'sequencePath'>,
): Promise<{ readonly links: readonly TreeLink[]; readonly isImmutable: boolean }> {
  const links = new Map<string, Bounds>();
  const names = [...new Set(urls)];
  const pause = pauses();
  const timeKey = context.timestampPath && pathKey(context.timestampPath);
  const sequenceKey = context.sequencePath && pathKey(context.sequencePath);
  for (const subject of names) {
    for (const key of new Set(index.objects(subject, tree.relation).map(termKey))) {
      await pause();
      const [stated] = index.objects(key, tree.path);
      const path = stated && readPath(stated, index);
      const name = path && pathKey(path);
      const interval = path ? intervalOf(key, index) : EVERYTHING;
      for (const { value: target } of index.objects(key, tree.node)) {
        if (!isPageUrl(target)) continue;
        const url = target.split('#', 1)[0] as string;
        const known = links.get(url) ?? UNBOUNDED;
        links.set(url, {
          time: name === timeKey ? intersection(known.time, interval) : known.time,
          sequence: name === sequenceKey ? intersection(known.sequence, interval) : known.sequence,
        });
      }
    }
  }
  const isImmutable = names
    .flatMap((name) => index.objects(name, ldes.immutable))
    .some(({ value }) => value === 'true' || value === '1');
  return { links: [...links].map(([url, bounds]) => ({ url, bounds })), isImmutable };
}

export function isPageUrl(text: string): boolean {
  return /^https?:/i.test(text) && parsedUrl(text) !== undefined;
}

function intervalOf(relation: string, index: PageIndex): Interval {
  const values = index.objects(relation, tree.value).map(orderSpan);
  const known = values.filter((value) => value !== undefined);
  if (known.length !== values.length) return EVERYTHING;
  const types = new Set(index.objects(relation, rdf.type).map(({ value }) => value));
  return [...types].map((type) => relationInterval(type, known)).reduce(intersection, EVERYTHING);
}

/** A member as it stands on a page. Times and numbers are absent where the stream or the member has none. */
export interface PageMember extends Pick<Member, 'id' | 'entity' | 'kind' | 'quads'> {
  /** Of its publication: one that a `Date` can hold. */
  readonly timeMs: number | undefined;
  readonly sequence: number | undefined;
  /** The source's own time, as it is stated, and in whole milliseconds. */
  readonly versionTime: string | undefined;
  readonly versionTimeMs: number | undefined;
  /** Its number among the versions of its entity. */
  readonly versionNumber: number | undefined;
  /** It is the last of its transaction. */
  readonly isFinalizer: boolean;
  readonly hasBlankNodes: boolean;
}

/** The members that a page lists, in its order, each once. What is no IRI cannot be told apart from page to page. */
export function* listedMembers(index: PageIndex, stream: string): Generator<Term> {
  const listed = new Set<string>();
  for (const term of index.members.get(stream) ?? []) {
    if (term.termType !== 'NamedNode' || listed.has(term.value)) continue;
    listed.add(term.value);
    yield term;
  }
}

/**
 * What a page says of a member: its star in the default graph, the graph that it names, and what any graph says of the
 * blank nodes there, and of those that these lead to; and what the paths of the stream lead to from there (READ-15).
 */
export function readMember(term: Term, index: PageIndex, context: TreeContext, limitQuads: number): PageMember {
  const { quads, hasBlankNodes } = memberQuads(term.value, index, limitQuads);
  const all = (path: PropertyPath): Term[] => {
    if (path.kind !== 'predicate') return evaluatePath(path, [term], index);
    const found: Term[] = [];
    for (const { predicate, subject, object } of quads) {
      if (predicate.value === path.iri && subject.value === term.value) found.push(object);
    }
    return found;
  };
  const first = (path: PropertyPath | undefined): Term | undefined => path && all(path)[0];
  const number = (value: Term | undefined): number | undefined => orderSpan(value)?.start;
  const entity = first(context.versionOfPath);
  const timeMs = number(first(context.timestampPath));
  const versionTime = first(context.versionTimestampPath);
  const versionTimeMs = number(versionTime);
  const { versionDeletePath, versionDeleteObject: deleted } = context;
  const isDelete = all(versionDeletePath).some(({ value }) =>
    deleted === undefined ? !['false', '0'].includes(value) : value === deleted,
  );
  return {
    id: term.value,
    entity: entity?.termType === 'NamedNode' ? entity.value : term.value,
    kind: isDelete ? 'delete' : 'upsert',
    // A number that is none of milliseconds, as one of nanoseconds, can be further from 1970 than any date.
    timeMs: timeMs === undefined || Number.isNaN(new Date(timeMs).getTime()) ? undefined : timeMs,
    sequence: number(first(context.sequencePath)),
    versionTime: versionTime?.termType === 'Literal' ? versionTime.value : undefined,
    versionTimeMs: versionTimeMs && Math.floor(versionTimeMs),
    versionNumber: number(first(context.versionSequencePath)),
    isFinalizer: first(context.transactionFinalizedPath)?.value === context.transactionFinalizedObject,
    quads,
    hasBlankNodes,
  };
}

function memberQuads(iri: string, index: PageIndex, limitQuads: number): Pick<PageMember, 'quads' | 'hasBlankNodes'> {
  const star = index.star(iri);
  const graph = index.graph(iri);
  const quads = graph.length === 0 ? [...star] : [...new Set([...star, ...graph])];
  let followed: Set<string> | undefined;
  let included: Set<Quad> | undefined;
  let hasBlankNodes = false;
  // What is found through one blank node leads on to the next.
  for (let at = 0; at < quads.length; at += 1) {
    if (quads.length > limitQuads) throw errors.ERR_TREE_MEMBER_TOO_LARGE({ member: iri, limitQuads });
    const { subject, object } = quads[at] as Quad;
    if (subject.termType === 'BlankNode') hasBlankNodes = true;
    if (object.termType !== 'BlankNode') continue;
    hasBlankNodes = true;
    followed ??= new Set();
    if (followed.has(object.value)) continue;
    followed.add(object.value);
    included ??= new Set(quads);
    for (const stated of index.star(termKey(object))) {
      if (included.has(stated)) continue;
      included.add(stated);
      quads.push(stated);
    }
  }
  return { quads, hasBlankNodes };
}
