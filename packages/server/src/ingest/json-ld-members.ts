/* JSON-LD and NDJSON -> members: each node at the top of a document, or in its `@graph`, with what is nested within it.
 *
 *   { "@context": { "@vocab": "http://e/" }, "@graph": [{ "@id": "http://e/a", "p": 1 }, { "@id": "http://e/b", "p": 2 }] }
 *     -> parts of some nodes, each with the context -> expanded -> { iri: 'http://e/a', quads: [one], ... }, ... */

import { setImmediate } from 'node:timers/promises';
import { isIri, type JsonLdNode, jsonLdNodes } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';
import {
  checkMemberSize,
  describeMember,
  inDefaultGraph,
  type MemberReader,
  type PostedMember,
  quadCharacters,
} from './rdf-members.ts';

/** What reading JSON-LD takes. */
export interface JsonContext {
  readonly limits: IngestLimits;
  /** By URL, as they would be fetched. */
  readonly contexts: Readonly<Record<string, object>>;
}

/**
 * Reads the members of a JSON-LD document: each node at its top, or in its `@graph`, with what is nested within it.
 *
 * @param firstLine - where it stands in the body: 1 for the first line
 * @throws {@link StreamError} `ERR_POST_*` - it is not what it should be
 * @see specs/ingest.md ING-13
 */
export async function* jsonMembers(
  text: string,
  { limits, contexts }: JsonContext,
  firstLine = 1,
): AsyncIterable<PostedMember> {
  const { limitDepth } = limits;
  const deep = tooDeepLine(text, limitDepth);
  if (deep !== undefined) throw errors.ERR_POST_TOO_DEEP({ line: deep + firstLine - 1, limitDepth });
  const loadContext = async (url: string) => {
    const context = Object.hasOwn(contexts, url) ? contexts[url] : undefined;
    if (!context) throw errors.ERR_POST_CONTEXT({ url, known: Object.keys(contexts) });
    return context;
  };
  const json = parseJson(text, firstLine);
  if (HALF_ESCAPE.test(text)) assertWholeCharacters(text);
  for (const { part, work } of lightParts(json, limits, contexts)) {
    // However much there is, others are to get their turn.
    if (part.number > 1 || work > 0) await setImmediate();
    const { nodes, dropped } = await readPart(part, loadContext);
    if (dropped.length > 0) throw await nothingSaid(part, loadContext, onlyLine(text, firstLine));
    for (const node of nodes) yield memberOf(node, limits);
  }
}

/** The parts of a document, none with more to do for its contexts than one node may have. */
function* lightParts(json: object, limits: IngestLimits, contexts: JsonContext['contexts']) {
  let shared: ContextUse | undefined;
  for (const part of documentParts(json)) {
    shared ??= contextUse({ '@context': part.context }, contexts);
    let from = 0;
    let work = 0;
    for (const [index, item] of part.items.entries()) {
      const added = contextWork(shared, contextUse(item, contexts), limits);
      work += added;
      if (work <= limits.limitContextWork || index === from) continue;
      yield { part: sliceOf(part, from, index), work: work - added };
      [from, work] = [index, added];
    }
    yield { part: sliceOf(part, from, part.items.length), work };
  }
}

type LoadContext = (url: string) => Promise<object>;

async function readPart({ items, documentOf }: DocumentPart, loadContext: LoadContext) {
  const dropped: (string | undefined)[] = [];
  const nodes = await jsonLdNodes(documentOf(items), loadContext, (id) => dropped.push(id));
  return { nodes, dropped };
}

/** The error for a part with nodes that say nothing: of the first of them. */
async function nothingSaid(given: DocumentPart, loadContext: LoadContext, line: number | undefined) {
  let part = given;
  while (part.items.length > 1) {
    const [first, second] = halvesOf(part);
    part = (await readPart(first, loadContext)).dropped.length > 0 ? first : second;
  }
  const [id] = (await readPart(part, loadContext)).dropped;
  const node = id === undefined ? `Node ${part.number} of the document` : `The node ${id}`;
  const problem = 'none of its fields is in the context. Add an @context, or write them as full IRIs';
  return errors.ERR_POST_NOTHING_SAID({ node, line, number: part.number, problem });
}

// By an escape a text of JSON may have half of a character that takes two of UTF-16, which UTF-8 cannot say.
const HALF_ESCAPE = /\\u[Dd][89A-Fa-f]/;
const HALF_CHARACTER = /\p{Surrogate}/u;

/** Refuses half of a character wherever it stands. */
function assertWholeCharacters(text: string): void {
  JSON.parse(text, (key, value: unknown) => {
    const hasHalf = HALF_CHARACTER.test(key) || (typeof value === 'string' && HALF_CHARACTER.test(value));
    if (hasHalf) throw errors.ERR_POST_CHARSET({});
    return value;
  });
}

function parseJson(text: string, firstLine: number): object {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const { message } = cause as Error;
    const position = /position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? onlyLine(text, firstLine) : linesBefore(text, Number(position)) + firstLine;
    throw errors.ERR_POST_MALFORMED({ format: 'JSON', line, problem: `${message}.` }, cause);
  }
  if (typeof json === 'object' && json !== null) return json;
  const problem = 'it is neither an object nor an array.';
  throw errors.ERR_POST_MALFORMED({ format: 'JSON-LD', line: firstLine, problem });
}

/** Where something is wrong of which no position is known: `undefined` where there are several lines. */
function onlyLine(text: string, firstLine: number): number | undefined {
  return text.includes('\n') ? undefined : firstLine;
}

function linesBefore(text: string, position: number): number {
  return text.slice(0, position).split('\n').length - 1;
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
  if (stray) {
    const label = `_:${stray.subject.value}`;
    throw errors.ERR_POST_BLANK_NODE({
      member: id,
      label,
      problem: 'is told of within it, and it does not refer to it',
    });
  }
  return { iri: id, quads: own, characters };
}

/** Reads members from one JSON-LD document, which is read whole. */
export class DocumentReader implements MemberReader {
  readonly #context: JsonContext;
  readonly #pieces: string[] = [];
  #length = 0;

  constructor(context: JsonContext) {
    this.#context = context;
  }

  take(text: string): Iterable<PostedMember> {
    const { limitDocumentBytes } = this.#context.limits;
    this.#length += Buffer.byteLength(text);
    if (this.#length > limitDocumentBytes) {
      throw errors.ERR_POST_TOO_LARGE({ limit: 'limitDocumentBytes', value: limitDocumentBytes });
    }
    this.#pieces.push(text);
    return [];
  }

  end(): AsyncIterable<PostedMember> {
    return jsonMembers(this.#pieces.join(''), this.#context);
  }
}

/** Reads members from NDJSON: a JSON-LD document a line. */
export class LineDocumentReader implements MemberReader {
  readonly #context: JsonContext;
  #rest: string[] = [];
  #restLength = 0;
  #line = 1;

  constructor(context: JsonContext) {
    this.#context = context;
  }

  async *take(text: string): AsyncIterable<PostedMember> {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#keep(text.slice(from, end));
      from = end + 1;
      yield* this.end();
      this.#line += 1;
    }
    this.#keep(text.slice(from));
  }

  async *end(): AsyncIterable<PostedMember> {
    const line = this.#rest.length === 1 ? (this.#rest[0] as string) : this.#rest.join('');
    this.#rest = [];
    this.#restLength = 0;
    // Blank lines mean nothing.
    if (/\S/.test(line)) yield* jsonMembers(line, this.#context, this.#line);
  }

  #keep(piece: string): void {
    const { limitMemberCharacters } = this.#context.limits;
    this.#restLength += piece.length;
    if (this.#restLength > limitMemberCharacters) {
      const member = `in line ${this.#line}`;
      throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitMemberCharacters', value: limitMemberCharacters });
    }
    if (piece !== '') this.#rest.push(piece);
  }
}

/**
 * Finds where a JSON text is nested deeper than it may be, before it is parsed. It need not be well-formed.
 *
 * @returns the line, 1 for the first; `undefined` where it is nowhere too deep
 */
export function tooDeepLine(text: string, limitDepth: number): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfText(text, at);
    } else if (code === BRACE || code === BRACKET) {
      depth += 1;
      if (depth > limitDepth) return text.slice(0, at).split('\n').length;
    } else if (code === END_BRACE || code === END_BRACKET) depth -= 1;
  }
  return undefined;
}

const [QUOTE, BRACE, BRACKET, END_BRACE, END_BRACKET, BACKSLASH] = [...'"{[}]\\'].map((character) =>
  character.charCodeAt(0),
);

/** Where a text in quotes ends, or the whole. */
function endOfText(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
}

/** What a piece of JSON-LD has of contexts, and what they may have to be applied to. */
export interface ContextUse {
  /** Entries of contexts that stand there, those within terms included. */
  readonly terms: number;
  /** Entries of contexts that are referred to. */
  readonly knownTerms: number;
  /** Contexts that stand there or are referred to. */
  readonly contexts: number;
  /** Objects that are no contexts. */
  readonly nodes: number;
}

type Known = Readonly<Record<string, object>>;

/**
 * Counts the contexts of a piece of JSON-LD.
 *
 * @param known - contexts that it may refer to, by their URLs
 */
export function contextUse(json: unknown, known: Known): ContextUse {
  const use = { terms: 0, knownTerms: 0, contexts: 0, nodes: 0 };
  const refer = (url: string) => {
    use.contexts += 1;
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
 * @throws {@link StreamError} `ERR_POST_CONTEXT_TOO_LARGE` - it is more than may be
 * @see specs/ingest.md ING-48
 */
export function contextWork(
  shared: ContextUse,
  own: ContextUse,
  { limitContextTerms, limitContextWork }: Pick<IngestLimits, 'limitContextTerms' | 'limitContextWork'>,
): number {
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

/** How many nodes of a large document are read before others get their turn. */
const NODES_AT_A_TIME = 100;

/** Some of the nodes at the top of a JSON-LD document. */
export interface DocumentPart {
  readonly items: readonly unknown[];
  /** Of the first of them: 1 for the first of the document. */
  readonly number: number;
  /** The context that they share; absent where each has its own. */
  readonly context?: unknown;
  /** The document that has just these. */
  readonly documentOf: (items: readonly unknown[]) => object;
}

/** A JSON-LD document in parts of not so many nodes each, where it has one node after the other. */
export function* documentParts(json: object): Iterable<DocumentPart> {
  if (Array.isArray(json)) {
    yield* slicesOf(json, (items) => items);
    return;
  }
  const { '@graph': graph, '@context': context, ...others } = json as Record<string, unknown>;
  if (!Array.isArray(graph) || Object.keys(others).length > 0) {
    yield { items: [json], number: 1, documentOf: () => json };
    return;
  }
  const shared = context === undefined ? {} : { '@context': context };
  yield* slicesOf(graph, (items) => ({ ...shared, '@graph': items }), context);
}

function* slicesOf(
  items: readonly unknown[],
  documentOf: DocumentPart['documentOf'],
  context?: unknown,
): Iterable<DocumentPart> {
  for (let from = 0; from < items.length; from += NODES_AT_A_TIME) {
    yield { items: items.slice(from, from + NODES_AT_A_TIME), number: from + 1, context, documentOf };
  }
}

/** Some of the nodes of a part: from one on, to before another. */
export function sliceOf(part: DocumentPart, from: number, to: number): DocumentPart {
  return { ...part, items: part.items.slice(from, to), number: part.number + from };
}

/** The first half of the nodes of a part, and the second. */
export function halvesOf(part: DocumentPart): readonly [DocumentPart, DocumentPart] {
  const middle = part.items.length >> 1;
  return [sliceOf(part, 0, middle), sliceOf(part, middle, part.items.length)];
}
