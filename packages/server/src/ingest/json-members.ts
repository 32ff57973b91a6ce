import { setImmediate } from 'node:timers/promises';
import { isIri, type JsonLdNode, jsonLdNodes, quad as makeQuad } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';
import { type ContextUse, contextUse, contextWork } from './context-work.ts';
import { type DocumentPart, documentParts, halvesOf, sliceOf } from './document-parts.ts';
import { tooDeepLine } from './json-depth.ts';
import { describeMember, type PostedMember } from './posted-member.ts';
import { quadCharacters } from './quad-characters.ts';

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
  const { limitMemberCharacters, limitMemberQuads } = limits;
  let characters = 0;
  const flat: Quad[] = [];
  for (const quad of quads) {
    const { subject, predicate, object } = quad;
    if (subject.termType === 'NamedNode' && subject.value !== id) {
      throw errors.ERR_POST_SUBJECT({ member: id, subject: subject.value });
    }
    characters += quadCharacters(quad);
    flat.push(makeQuad(subject, predicate as Parameters<typeof makeQuad>[1], object));
  }
  const tooLarge = (limit: string, value: number) => errors.ERR_POST_MEMBER_TOO_LARGE({ member: id, limit, value });
  if (characters > limitMemberCharacters) throw tooLarge('limitMemberCharacters', limitMemberCharacters);
  if (flat.length > limitMemberQuads) throw tooLarge('limitMemberQuads', limitMemberQuads);
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
