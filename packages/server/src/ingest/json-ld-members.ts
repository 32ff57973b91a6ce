/* JSON-LD and NDJSON -> members: each node at the top of a document, or in its `@graph`, with what is nested within it.
 *
 *   { "@context": { "@vocab": "http://e/" }, "@graph": [{ "@id": "http://e/a", "p": 1 }, { "@id": "http://e/b", "p": 2 }] }
 *     1 outline    where the nodes are, each well-formed, nowhere too deep, none too large: before anything is stored
 *     2 parts      some nodes each, with the context: { nodes: [{ "@id": "http://e/a", "p": 1 }, ...], number: 1 }
 *     3 expanded   jsonLdNodes of rdf-stream -> { iri: 'http://e/a', quads: [one statement], characters: 26 }, ...
 *
 * The text is never parsed as a whole, which takes many times its size: only node by node, and each twice. Between nodes
 * others get their turn. What one node takes is bounded by its values and by its contexts, before it is parsed. */

import { isIri, type JsonLdNode, jsonLdNodes } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';
import type { WorkTurns } from './admission.ts';
import { JsonText, type NodeList } from './json-text.ts';
import {
  checkMemberSize,
  describeMember,
  inDefaultGraph,
  type MemberReader,
  type PostedMember,
  quadCharacters,
  strayBlankNode,
} from './rdf-members.ts';

/** What reading JSON-LD takes besides a text. */
interface JsonOptions {
  readonly limits: IngestLimits;
  /** By URL, as they would be fetched. */
  readonly contexts: Readonly<Record<string, object>>;
  readonly turns: WorkTurns;
}

/** Reads members from one JSON-LD document, whose text is kept whole, or from NDJSON: such a document a line. */
export class JsonLdReader implements MemberReader {
  readonly #hasLines: boolean;
  readonly #options: JsonOptions;
  #rest: string[] = [];
  #restSize = 0;
  #line = 1;

  constructor(format: 'jsonld' | 'ndjson', options: JsonOptions) {
    this.#hasLines = format === 'ndjson';
    this.#options = options;
  }

  take(text: string): AsyncIterable<PostedMember> {
    return membersOf(this.#endedBy(text), this.#options);
  }

  end(): AsyncIterable<PostedMember> {
    return membersOf(this.#document(), this.#options);
  }

  *#endedBy(text: string): Iterable<JsonText> {
    let from = 0;
    for (let end = this.#hasLines ? text.indexOf('\n') : -1; end >= 0; end = text.indexOf('\n', from)) {
      this.#keep(text.slice(from, end));
      from = end + 1;
      yield* this.#document();
      this.#line += 1;
    }
    this.#keep(text.slice(from));
  }

  #document(): JsonText[] {
    const text = this.#rest.length === 1 ? (this.#rest[0] as string) : this.#rest.join('');
    this.#rest = [];
    this.#restSize = 0;
    const isBlankLine = this.#hasLines && !/\S/.test(text);
    return isBlankLine ? [] : [new JsonText(text, this.#options.limits, this.#line)];
  }

  #keep(piece: string): void {
    const { limitMemberCharacters, limitDocumentBytes } = this.#options.limits;
    this.#restSize += this.#hasLines ? piece.length : Buffer.byteLength(piece);
    if (this.#hasLines && this.#restSize > limitMemberCharacters) {
      const member = `in line ${this.#line}`;
      throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitMemberCharacters', value: limitMemberCharacters });
    }
    if (!this.#hasLines && this.#restSize > limitDocumentBytes) {
      throw errors.ERR_POST_TOO_LARGE({ limit: 'limitDocumentBytes', value: limitDocumentBytes });
    }
    if (piece !== '') this.#rest.push(piece);
  }
}

/** Some of the nodes at the top of a document. */
interface Part {
  readonly nodes: readonly unknown[];
  /** Of the first of them: 1 for the first of the document. */
  readonly number: number;
  /** The document that has just these. */
  readonly documentOf: (nodes: readonly unknown[]) => object;
  /** Where its document is; `undefined` where that has several lines. */
  readonly line: number | undefined;
}

/** The members of documents, in one generator for all: bodies have very many of one node. @see specs/ingest.md ING-13, ING-48 */
async function* membersOf(documents: Iterable<JsonText>, options: JsonOptions): AsyncIterable<PostedMember> {
  const { limits, contexts, turns } = options;
  const loadContext = async (url: string) => {
    const context = Object.hasOwn(contexts, url) ? contexts[url] : undefined;
    if (!context) throw errors.ERR_POST_CONTEXT({ url, known: Object.keys(contexts) });
    return context;
  };
  for (const json of documents) {
    const outline = await json.outline(turns);
    if ('node' in outline) {
      const { node } = outline;
      contextWork(NO_CONTEXT, contextUse(node, contexts), limits);
      const only = { nodes: [node], number: 1, documentOf: () => node, line: json.onlyLine };
      for (const one of await nodesOf(only, loadContext)) yield memberOf(one, limits);
    } else {
      for await (const part of partsOf(json, outline, options)) {
        for (const one of await nodesOf(part, loadContext)) yield memberOf(one, limits);
      }
    }
  }
}

/** Nodes that are expanded in one go, unless one alone has more values. */
const PART_NODES = 100;
const PART_VALUES = 4000;

/** The parts of a document, none with more to do for its contexts than one node may have. */
async function* partsOf(json: JsonText, list: NodeList, { limits, contexts, turns }: JsonOptions): AsyncIterable<Part> {
  const { context, depth } = list;
  const shared = contextUse({ '@context': context }, contexts);
  const withContext = context === undefined ? {} : { '@context': context };
  const documentOf: Part['documentOf'] =
    depth === 1 ? (nodes) => nodes : (nodes) => ({ ...withContext, '@graph': nodes });
  const { onlyLine: line } = json;
  let nodes: unknown[] = [];
  let [number, values, work] = [1, 0, 0];
  for (const item of json.items(list)) {
    const node = json.parse(item);
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

type LoadContext = (url: string) => Promise<object>;

/** The nodes of a part, expanded; the error is of the first that says nothing. */
async function nodesOf(part: Part, loadContext: LoadContext): Promise<JsonLdNode[]> {
  const { nodes: given, number, documentOf, line } = part;
  const dropped: (string | undefined)[] = [];
  const nodes = await jsonLdNodes(documentOf(given), loadContext, (id) => dropped.push(id));
  if (dropped.length === 0) return nodes;
  if (given.length > 1) {
    const middle = given.length >> 1;
    const first = await nodesOf({ ...part, nodes: given.slice(0, middle) }, loadContext);
    return [
      ...first,
      ...(await nodesOf({ ...part, nodes: given.slice(middle), number: number + middle }, loadContext)),
    ];
  }
  const node = dropped[0] === undefined ? `Node ${number} of the document` : `The node ${dropped[0]}`;
  const problem = 'none of its fields is in the context. Add an @context, or write them as full IRIs';
  throw errors.ERR_POST_NOTHING_SAID({ node, line, number, problem });
}

function memberOf({ id, quads }: JsonLdNode, limits: IngestLimits): PostedMember {
  if (id === undefined || id.startsWith('_:')) throw errors.ERR_POST_NO_IRI({ place: 'a node of the document' });
  if (!isIri(id)) throw errors.ERR_POST_RELATIVE_IRI({ iri: `<${id}>` });
  let characters = 0;
  const flat: Quad[] = [];
  for (const quad of quads) {
    const { subject } = quad;
    if (subject.termType === 'NamedNode' && subject.value !== id) {
      throw errors.ERR_POST_SUBJECT({ member: id, subject: subject.value });
    }
    characters += quadCharacters(quad);
    flat.push(inDefaultGraph(quad));
  }
  checkMemberSize(id, characters, flat.length, limits);
  const { quads: own, others } = describeMember(id, flat);
  const [stray] = others;
  if (stray) throw strayBlankNode(id, stray);
  return { iri: id, quads: own, characters };
}

/** What a piece of JSON-LD has of contexts, and what they may have to be applied to. */
interface ContextUse {
  /** Entries of contexts that stand there, those within terms included. */
  readonly terms: number;
  /** Entries of contexts that are referred to. */
  readonly knownTerms: number;
  /** Contexts that stand there or are referred to. */
  readonly contexts: number;
  /** Objects that are no contexts. */
  readonly nodes: number;
  /** Whether one of them has a base, or may have. */
  readonly hasBase: boolean;
  /** A base that is relative, with none before it that it could be relative to. */
  readonly relativeBase: string | undefined;
}

/** @param known - contexts that it may refer to, by their URLs */
function contextUse(json: unknown, known: JsonOptions['contexts']): ContextUse {
  const use = { terms: 0, knownTerms: 0, contexts: 0, nodes: 0, hasBase: false };
  let relativeBase: string | undefined;
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
          else if (!use.hasBase) relativeBase ??= inner;
        }
        if (key === '@context' || (isContext && key === '@import')) count(inner, true);
        // Of a term there may be a context that holds for its values.
        else if (isContext) count((inner as { '@context'?: unknown } | null)?.['@context'], true);
        else count(inner, false);
      }
    }
  };
  count(json, false);
  return { ...use, relativeBase };
}

function termsOf(document: unknown): number {
  const { '@context': context = document } = document as { '@context'?: unknown };
  const parts = Array.isArray(context) ? context : [context];
  return parts.reduce<number>((sum, part) => sum + (typeof part === 'object' ? Object.keys(part ?? {}).length : 1), 0);
}

const NO_CONTEXT = contextUse({}, {});

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
