/* JSON-LD and NDJSON -> members: each node at the top of a document, or in its `@graph`, with what is nested within it.
 *
 *   { "@context": { "@vocab": "http://e/" }, "@graph": [{ "@id": "http://e/a", "p": 1 }, { "@id": "http://e/b", "p": 2 }] }
 *     1 outline    where its nodes are, and what they share: json-text.ts
 *     2 parts      some nodes each, parsed, with the context: { nodes: [{ "@id": "http://e/a", "p": 1 }, ...], number: 1 }
 *     3 expanded   jsonLdNodes of rdf-stream -> { iri: 'http://e/a', quads: [one statement], characters: 26 }, ...
 *
 * The text is never parsed as a whole, which takes many times its size: only node by node. Between nodes others get their
 * turn. What one node takes is bounded by its depth, its values and its contexts, before it is parsed or expanded. */

import { isIri, type JsonLdNode, jsonLdNodes } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';
import type { WorkTurns } from '../work-turns.ts';
import { JsonText, type Outline } from './json-text.ts';
import { GrowingMember, type MemberReader, type PostedMember } from './rdf-members.ts';

/** What reading JSON-LD takes besides a text. */
export interface JsonOptions {
  readonly limits: IngestLimits;
  /** By URL, as they would be fetched. */
  readonly contexts: Readonly<Record<string, object>>;
  readonly turns: WorkTurns;
}

/** Larger documents are worked on one at a time, bytes: as text and parsed, they take several times their size. */
const LARGE_BYTES = 1024 * 1024;

/** Reads members from one JSON-LD document, which is kept whole, as bytes until it has come. */
export class JsonLdReader implements MemberReader {
  readonly #options: JsonOptions;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(options: JsonOptions) {
    this.#options = options;
  }

  take(text: string): Iterable<PostedMember> {
    const { limitDocumentBytes: value } = this.#options.limits;
    const piece = Buffer.from(text);
    this.#bytes += piece.length;
    if (this.#bytes > value) throw errors.ERR_POST_TOO_LARGE({ limit: 'limitDocumentBytes', value });
    this.#pieces.push(piece);
    return [];
  }

  async *end(): AsyncIterable<PostedMember> {
    const { limits, turns } = this.#options;
    const leave = this.#bytes > LARGE_BYTES ? await turns.alone() : undefined;
    try {
      let text = '';
      for (const piece of this.#pieces.splice(0)) {
        text += piece.toString();
        const wait = turns.pause();
        if (wait) await wait;
      }
      yield* membersOf([new JsonText(text, limits, 1)], this.#options);
    } finally {
      leave?.();
    }
  }
}

/** Reads members from NDJSON: a JSON-LD document a line. */
export class NdjsonReader implements MemberReader {
  readonly #options: JsonOptions;
  #pieces: string[] = [];
  #size = 0;
  #line = 1;

  constructor(options: JsonOptions) {
    this.#options = options;
  }

  take(text: string): AsyncIterable<PostedMember> {
    return membersOf(this.#endedBy(text), this.#options);
  }

  end(): AsyncIterable<PostedMember> {
    return membersOf(this.#document(), this.#options);
  }

  *#endedBy(text: string): Iterable<JsonText> {
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) {
        yield* this.#document();
        this.#line += 1;
      }
      this.#keep(piece);
    }
  }

  #document(): JsonText[] {
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#size = 0;
    return text.trim() === '' ? [] : [new JsonText(text, this.#options.limits, this.#line)];
  }

  #keep(piece: string): void {
    const { limitMemberCharacters: value } = this.#options.limits;
    this.#size += piece.length;
    if (this.#size > value) {
      const member = `in line ${this.#line}`;
      throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitMemberCharacters', value });
    }
    this.#pieces.push(piece);
  }
}

/** Some of the nodes at the top of a document. */
interface Part extends Pick<Outline, 'documentOf'> {
  readonly nodes: readonly unknown[];
  /** Of the first of them: 1 for the first of the document. */
  readonly number: number;
  /** Where its document is; `undefined` where that has several lines. */
  readonly line: number | undefined;
}

/** The members of documents. @see specs/ingest.md ING-13, ING-40 */
async function* membersOf(documents: Iterable<JsonText>, options: JsonOptions): AsyncIterable<PostedMember> {
  const { limits, contexts } = options;
  const loadContext = async (url: string) => {
    const context = Object.hasOwn(contexts, url) ? contexts[url] : undefined;
    if (!context) throw errors.ERR_POST_CONTEXT({ url, known: Object.keys(contexts) });
    return context;
  };
  for (const text of documents) {
    for await (const part of partsOf(text, options)) {
      for (const node of await nodesOf(part, loadContext)) yield memberOf(node, limits);
    }
  }
}

/** Nodes that are expanded in one go, unless one alone has more values. */
const PART_NODES = 100;
const PART_VALUES = 4000;

/** The parts of a document, none with more to do for its contexts than one node may have. */
async function* partsOf(text: JsonText, { limits, contexts, turns }: JsonOptions): AsyncIterable<Part> {
  const { context, items, documentOf } = await text.outline(turns);
  const shared = contextUse({ '@context': context }, contexts);
  const { onlyLine: line } = text;
  let nodes: unknown[] = [];
  let [number, values, work] = [1, 0, 0];
  for (const item of items) {
    const node = text.parse(item);
    const added = contextWork(shared, contextUse(node, contexts), limits);
    const isFull =
      nodes.length === PART_NODES || values + item.values > PART_VALUES || work + added > limits.limitContextWork;
    if (isFull && nodes.length > 0) {
      yield { nodes, number, documentOf, line };
      number += nodes.length;
      nodes = [];
      [values, work] = [0, 0];
    }
    nodes.push(node);
    values += item.values;
    work += added;
    const wait = turns.pause();
    if (wait) await wait;
  }
  if (nodes.length > 0) yield { nodes, number, documentOf, line };
}

/** The nodes of a part, expanded; the error is of the first that says nothing. */
async function nodesOf(part: Part, loadContext: (url: string) => Promise<object>): Promise<JsonLdNode[]> {
  const { nodes: given, number, documentOf, line } = part;
  const dropped: (string | undefined)[] = [];
  const nodes = await jsonLdNodes(documentOf(given), loadContext, (id) => dropped.push(id));
  if (dropped.length === 0) return nodes;
  if (given.length > 1) {
    const middle = given.length >> 1;
    const first = await nodesOf({ ...part, nodes: given.slice(0, middle) }, loadContext);
    const others = { ...part, nodes: given.slice(middle), number: number + middle };
    return [...first, ...(await nodesOf(others, loadContext))];
  }
  const node = dropped[0] === undefined ? `Node ${number} of the document` : `The node ${dropped[0]}`;
  const problem = 'the context does not define its fields. Add an @context, or write the fields as full IRIs';
  throw errors.ERR_POST_NOTHING_SAID({ node, line, number, problem });
}

function memberOf({ id, quads }: JsonLdNode, limits: IngestLimits): PostedMember {
  if (id === undefined || id.startsWith('_:')) throw errors.ERR_POST_NO_IRI({ place: 'a node of the document' });
  if (!isIri(id)) throw errors.ERR_POST_RELATIVE_IRI({ iri: `<${id}>` });
  const growing = new GrowingMember(limits, id);
  for (const quad of quads) {
    const { subject } = quad;
    if (subject.termType === 'NamedNode' && subject.value !== id) {
      throw errors.ERR_POST_SUBJECT({ member: id, subject: subject.value });
    }
    growing.add(quad);
  }
  return growing.last() as PostedMember;
}

type ContextUse = ReturnType<typeof contextUse>;

/** What a piece of JSON-LD has of contexts, and what they may have to be applied to; those that it may refer to are known. */
function contextUse(json: unknown, known: JsonOptions['contexts']) {
  const use = {
    /** Entries of contexts that stand there, those within terms included. */
    terms: 0,
    /** Entries of contexts that are referred to. */
    knownTerms: 0,
    /** Contexts that stand there or are referred to. */
    contexts: 0,
    /** Objects that are not contexts. */
    nodes: 0,
    /** Whether one of them has a base, or may have. */
    hasBase: false,
    /** A base that is relative, with none before it that it could be relative to. */
    relativeBase: undefined as string | undefined,
  };
  const refer = (url: string) => {
    use.contexts += 1;
    use.hasBase = true;
    if (Object.hasOwn(known, url)) use.knownTerms += termsOf(known[url]);
  };
  const count = (value: unknown, isContext: boolean): void => {
    if (Array.isArray(value)) for (const item of value) count(item, isContext);
    else if (isContext && typeof value === 'string') refer(value);
    else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value);
      if (isContext) use.contexts += 1;
      else use.nodes += 1;
      if (isContext) use.terms += entries.length;
      for (const [key, inner] of entries) {
        if (isContext && key === '@base' && typeof inner === 'string') {
          if (isIri(inner)) use.hasBase = true;
          else if (!use.hasBase) use.relativeBase ??= inner;
        }
        if (key === '@context' || (isContext && key === '@import')) count(inner, true);
        // Of a term there may be a context that holds for its values.
        else if (isContext) count((inner as { '@context'?: unknown } | null)?.['@context'], true);
        else count(inner, false);
      }
    }
  };
  count(json, false);
  return use;
}

function termsOf(document: unknown): number {
  const { '@context': context = document } = document as { '@context'?: unknown };
  const parts = Array.isArray(context) ? context : [context];
  return parts.reduce<number>((sum, part) => sum + (typeof part === 'object' ? Object.keys(part ?? {}).length : 1), 0);
}

/**
 * How much there is to do with the contexts of a node: each that stands within another, or within a node, makes a copy of all
 * terms, once where it is defined and once for every node that it may hold for.
 *
 * @param shared - of the document that the node is in
 * @throws {@link StreamError} `ERR_POST_CONTEXT_TOO_LARGE`
 */
function contextWork(
  shared: ContextUse,
  own: ContextUse,
  { limitContextTerms, limitContextWork }: IngestLimits,
): number {
  const base = shared.relativeBase ?? (shared.hasBase ? undefined : own.relativeBase);
  if (base !== undefined) throw errors.ERR_POST_RELATIVE_IRI({ iri: `<${base}>` });
  const terms = shared.terms + own.terms;
  if (terms > limitContextTerms) throw tooLarge('limitContextTerms', limitContextTerms);
  const inner = Math.max(0, shared.contexts + own.contexts - 1);
  const work = inner === 0 ? own.terms : (terms + shared.knownTerms + own.knownTerms) * (1 + inner + own.nodes);
  if (work > limitContextWork) throw tooLarge('limitContextWork', limitContextWork);
  return work;
}

function tooLarge(limit: string, value: number) {
  return errors.ERR_POST_CONTEXT_TOO_LARGE({ limit, value });
}
