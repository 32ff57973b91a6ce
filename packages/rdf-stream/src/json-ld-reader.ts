// JSON-LD to quads. What our own writer writes is expanded here; all else by the library `jsonld`, which is larger than
// all that reads the other formats, and slower. The quads of what is expanded are made here.
//
//   { "@context": { "e": "http://e/" }, "@id": "e:s", "e:p": 1 }
//     | expandPlain: contexts of prefixes and types; or else expand
//   [{ "@id": "http://e/s", "http://e/p": [{ "@value": 1 }] }]
//     | expandedQuads
//   <http://e/s> <http://e/p> "1"^^xsd:integer

import type { BlankNode, Literal, Quad, Quad_Graph, Quad_Object, Quad_Subject } from '@rdfjs/types';
import type { JsonLd, RemoteDocument } from 'jsonld/jsonld-spec.d.ts';
import { errors, malformed, parserUnavailable } from './errors.ts';
import { boundedContexts, type ReadingLimits } from './json-ld-contexts.ts';
import { blankNode, faultyLiteral, isIri, languageLiteral, literal, namedNode, quad } from './terms.ts';
import { prefixes, rdf, xsd } from './vocabulary.ts';

/** A node at the top of a JSON-LD document, with all that the document says within it. */
export interface JsonLdNode {
  /** As it stands, absolute or not; `undefined` for a blank node. */
  readonly id: string | undefined;
  readonly quads: readonly Quad[];
}

/** Reads a JSON-LD document: `parseQuads` says how. */
export async function parseJsonLd(
  text: string,
  base: string,
  { limitContextWork, charge, chargeLibrary, pause }: ReadingLimits,
  loadContext: (url: string) => Promise<object> = refuseContext,
): Promise<Quad[]> {
  const json = parseJson(text, base);
  await pause?.();
  let expanded = expandPlain(json, charge);
  if (!expanded) {
    chargeLibrary();
    await loadJsonLd();
    await pause?.();
    expanded = await expand(json, { base }, await boundedContexts(json, { base, loadContext, limitContextWork }), base);
  }
  await pause?.();
  try {
    return expandedQuads(expanded);
  } catch (cause) {
    throw malformed({ url: base, format: 'jsonld' }, cause);
  }
}

async function refuseContext(url: string): Promise<never> {
  throw errors.ERR_JSONLD_CONTEXT_REFUSED({ url });
}

function parseJson(text: string, url: string): object {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const position = /position (\d+)/.exec((cause as Error).message)?.[1];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    throw malformed({ url, format: 'jsonld', line }, cause);
  }
  if (typeof json === 'object' && json !== null) return json;
  throw errors.ERR_RDF_MALFORMED({ url, format: 'jsonld', problem: 'it is neither an object nor an array.' });
}

/**
 * Reads JSON-LD node by node: each node at its top, or in its `@graph` where it is nothing but one, with what is nested
 * within it. Relative IRIs are refused. How deep it may be is for the caller to limit.
 *
 * @param json - a document, parsed
 * @param loadContext - loads the JSON-LD document at a URL, parsed; what it throws is thrown
 * @param onDropped - called for each part of the document that says nothing that its context defines, and so is no node:
 * with its `@id`, if it has one
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - it is not JSON-LD
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - an IRI is relative or ill-formed, or a literal one that
 * no text can say, as by its language tag
 * @throws {@link StreamError} `ERR_PARSER_UNAVAILABLE` - what reads JSON-LD could not be loaded
 */
export async function jsonLdNodes(
  json: object,
  loadContext: (url: string) => Promise<object>,
  onDropped: (id: string | undefined) => void = () => undefined,
): Promise<JsonLdNode[]> {
  const eventHandler = ({ event: { code, details } }: ExpansionEvent) => {
    if (!DROPPED.has(code)) return;
    const id = details.value?.['@id'];
    onDropped(typeof id === 'string' ? id : undefined);
  };
  const expanded = await expand(json, { base: '', eventHandler }, loadContext);
  return expanded.map((node) => {
    try {
      return { id: (node['@id'] ?? undefined) as string | undefined, quads: expandedQuads([node]) };
    } catch (cause) {
      const term = (cause as Error).message.replace(/ is not (?:an absolute IRI|a literal of RDF 1\.1)\.$/, '');
      throw errors.ERR_TERM_UNSUPPORTED({ term }, cause);
    }
  });
}

interface ExpansionEvent {
  readonly event: { readonly code: string; readonly details: { readonly value?: { readonly '@id'?: unknown } | null } };
}

const DROPPED: ReadonlySet<string> = new Set([
  'empty object',
  'free-floating scalar',
  'object with only @id',
  'object with only @list',
  'object with only @value',
]);

/** The part of the JSON-LD library that reads documents. */
type JsonLdLibrary = Pick<typeof import('jsonld'), 'expand'>;

let library: Promise<JsonLdLibrary> | undefined;

// A page that is offline by now cannot load it: the next call tries again.
async function loadJsonLd(): Promise<JsonLdLibrary> {
  library ??= import('jsonld').then((module) => module.default);
  try {
    return await library;
  } catch (cause) {
    library = undefined;
    throw parserUnavailable('jsonld', cause);
  }
}

/** A node, value or list object of expanded JSON-LD. */
type Expanded = { readonly [key: string]: unknown };

async function expand(
  json: object,
  options: object,
  loadContext: (url: string) => Promise<object>,
  url?: string,
): Promise<readonly Expanded[]> {
  const jsonld = await loadJsonLd();
  let failed: unknown;
  const documentLoader = async (documentUrl: string): Promise<RemoteDocument> => {
    try {
      return { document: (await loadContext(documentUrl)) as JsonLd, documentUrl };
    } catch (error) {
      failed ??= error;
      throw error;
    }
  };
  try {
    // Its types offer a callback beside the promise, and do not know of events.
    return await (jsonld.expand(json as JsonLd, { ...options, documentLoader }) as Promise<readonly Expanded[]>);
  } catch (cause) {
    // Thrown as it is: `jsonld` wraps it in an error of its own that says less.
    throw failed ?? malformed({ url, format: 'jsonld' }, cause);
  }
}

/**
 * The expanded form of a document whose context has prefixes and the types of properties and nothing else; `undefined`
 * for any other, which the library reads. It throws what `charge` throws, and means what the standard's algorithm makes of the document
 * (https://www.w3.org/TR/json-ld11-api/#expansion-algorithm); properties come in the order of the document.
 */
export function expandPlain(json: object, charge?: (characters: number) => void): readonly Expanded[] | undefined {
  if (!isObject(json)) return undefined;
  const { '@context': context = {}, ...document } = json;
  const reader = isObject(context) ? PlainExpander.of(context, charge) : undefined;
  if (!reader) return undefined;
  const keys = Object.keys(document);
  const isGraph = keys.length === 1 && keys[0] === '@graph';
  try {
    return isGraph ? reader.nodes(document['@graph']) : [reader.node(document)];
  } catch (cause) {
    if (cause === NOT_PLAIN) return undefined;
    throw cause;
  }
}

// Thrown where a document has what only the library reads: most are found out at once, and none is read twice for long.
const NOT_PLAIN = Symbol('not plain');

// Of nodes within nodes: our writer nests by what refers to what, and no stack is without end.
const LIMIT_DEPTH = 64;

// In JSON-LD 1.1 a namespace that ends otherwise is none, unless its context says `@prefix`.
const NAMESPACE = /[:/?#[\]@]$/;
const LANGUAGE_TAG = /^[a-z]{1,8}(-[a-z\d]{1,8})*$/;

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

class PlainExpander {
  readonly #namespaces = new Map<string, string>();
  // By key as it is spelt, which is what JSON-LD goes by: `@id` or a datatype.
  readonly #types = new Map<string, string>();
  // Of keys and values, as they stand: documents repeat them.
  readonly #iris = new Map<string, string>();
  readonly #charge: ((characters: number) => void) | undefined;
  #characters = 0;
  #depth = 0;

  private constructor(charge: ((characters: number) => void) | undefined) {
    this.#charge = charge;
  }

  static of(
    context: Record<string, unknown>,
    charge: ((characters: number) => void) | undefined,
  ): PlainExpander | undefined {
    const reader = new PlainExpander(charge);
    const terms = Object.entries(context);
    for (const [term, namespace] of terms) {
      if (typeof namespace !== 'string') continue;
      // A namespace that is a term as well can be a circle.
      if (!/^[A-Za-z][\w-]*$/.test(term) || !NAMESPACE.test(namespace) || namespace in context) return undefined;
      reader.#namespaces.set(term, namespace);
    }
    try {
      // One namespace may be stated by another, in any order: the library knows how.
      for (const namespace of reader.#namespaces.values()) if (reader.#iri(namespace) !== namespace) return undefined;
      for (const [term, definition] of terms) {
        if (typeof definition === 'string') continue;
        if (!isObject(definition) || Object.keys(definition).length !== 1) return undefined;
        const { '@type': type } = definition;
        reader.#iri(term);
        reader.#types.set(term, type === '@id' ? type : reader.#datatype(type));
      }
    } catch (cause) {
      if (cause === NOT_PLAIN) return undefined;
      throw cause;
    }
    return reader;
  }

  nodes(json: unknown): Expanded[] {
    return (Array.isArray(json) ? json : [json]).map((node) => this.node(node));
  }

  node(json: unknown): Expanded {
    if (!isObject(json) || '@value' in json || this.#depth === LIMIT_DEPTH) throw NOT_PLAIN;
    this.#depth += 1;
    const node: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(json)) {
      if (key === '@id') node[key] = this.#iri(value);
      else if (key === '@type') node[key] = [value].flat().map((type) => this.#iri(type));
      else if (key === '@graph') {
        // One without a name is read by whether something else stands beside it.
        if (json['@id'] === undefined) throw NOT_PLAIN;
        node[key] = this.nodes(value);
      } else {
        const property = this.#iri(key);
        // Two spellings of one property make one list.
        if (property in node || property.startsWith('_:')) throw NOT_PLAIN;
        const type = this.#types.get(key);
        node[property] = Array.isArray(value) ? value.map((item) => this.#item(item, type)) : [this.#item(value, type)];
      }
    }
    this.#depth -= 1;
    return node;
  }

  #item(json: unknown, type: string | undefined): Expanded {
    if (isObject(json)) return '@value' in json ? this.#value(json) : this.node(json);
    if (type === '@id' && typeof json === 'string') return { '@id': this.#iri(json) };
    const value = plainValue(json);
    return type === undefined || type === '@id' ? { '@value': value } : { '@value': value, '@type': type };
  }

  #value({ '@value': json, '@type': type, '@language': language, ...others }: Record<string, unknown>): Expanded {
    if (Object.keys(others).length > 0) throw NOT_PLAIN;
    const value = plainValue(json);
    if (language === undefined) {
      return type === undefined ? { '@value': value } : { '@value': value, '@type': this.#datatype(type) };
    }
    if (type !== undefined || typeof value !== 'string' || typeof language !== 'string') throw NOT_PLAIN;
    const tag = language.toLowerCase();
    if (!LANGUAGE_TAG.test(tag)) throw NOT_PLAIN;
    return { '@value': value, '@language': tag };
  }

  #datatype(json: unknown): string {
    const iri = this.#iri(json);
    if (iri.startsWith('_:')) throw NOT_PLAIN;
    return iri;
  }

  // What has no colon is a term or relative, and a keyword or something that looks like one.
  #iri(json: unknown): string {
    if (typeof json !== 'string') throw NOT_PLAIN;
    const known = this.#iris.get(json);
    if (known !== undefined) return known;
    const colon = json.indexOf(':');
    if (colon <= 0) throw NOT_PLAIN;
    const namespace = json.startsWith('//', colon + 1) ? undefined : this.#namespaces.get(json.slice(0, colon));
    const iri = namespace === undefined ? json : namespace + json.slice(colon + 1);
    // Before anything looks at it, which puts it together.
    this.#characters += iri.length;
    this.#charge?.(this.#characters);
    if (!iri.startsWith('_:') && !isIri(iri)) throw NOT_PLAIN;
    this.#iris.set(json, iri);
    return iri;
  }
}

function plainValue(json: unknown): string | number | boolean {
  if (typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean') return json;
  throw NOT_PLAIN;
}

// By the standard's algorithm (https://www.w3.org/TR/json-ld11-api/#deserialize-json-ld-to-rdf-algorithm), with two
// differences to the one in `jsonld`: lexical forms are never changed (there a typed xsd:double is printed anew), and the
// time is linear (there each value of a property is compared with all others). Blank nodes get labels `b<n>` in order of
// appearance. Where the standard drops what is ill-formed a RangeError is thrown, but for what looks like a keyword in
// place of an IRI, which expansion has made `null`.
function expandedQuads(expanded: readonly Expanded[]): Quad[] {
  const reader = new ExpandedReader();
  for (const node of expanded) reader.node(node);
  return reader.quads;
}

class ExpandedReader {
  readonly quads: Quad[] = [];
  readonly #nodes = new Map<string, BlankNode>();
  #blankNodes = 0;

  node(node: Expanded, graph?: Quad_Graph): Quad_Subject | undefined {
    const subject = node['@id'] === undefined ? this.#fresh() : this.#term(node['@id'] as string | null);
    for (const [key, values] of Object.entries(node) as [string, Expanded[]][]) {
      if (key === '@type') {
        for (const type of node[key] as string[]) this.#add(subject, rdf.type, this.#term(type), graph);
      } else if (key === '@graph') {
        if (subject) for (const inner of values) this.node(inner, subject as Quad_Graph);
      } else if (key === '@included') {
        for (const inner of values) this.node(inner, graph);
      } else if (key === '@reverse') {
        for (const [predicate, nodes] of Object.entries(node[key] as Record<string, Expanded[]>)) {
          for (const inner of nodes) this.#add(this.node(inner, graph), predicate, subject, graph);
        }
      } else if (!key.startsWith('@') && !key.startsWith('_:')) {
        for (const item of values) this.#add(subject, key, this.#object(item, graph), graph);
      }
    }
    return subject;
  }

  #object(item: Expanded, graph?: Quad_Graph): Quad_Object | undefined {
    if ('@value' in item) return valueLiteral(item);
    return '@list' in item ? this.#list(item['@list'] as Expanded[], graph) : this.node(item, graph);
  }

  #list(items: readonly Expanded[], graph?: Quad_Graph): Quad_Object {
    let rest: Quad_Subject = namedNode(rdf.nil);
    for (const item of [...items].reverse()) {
      const cell = this.#fresh();
      this.#add(cell, rdf.first, this.#object(item, graph), graph);
      this.#add(cell, rdf.rest, rest, graph);
      rest = cell;
    }
    return rest;
  }

  #add(subject: Quad_Subject | undefined, property: string, object: Quad_Object | undefined, graph?: Quad_Graph): void {
    if (subject && object) this.quads.push(quad(subject, namedNode(checkedIri(property)), object, graph));
  }

  #term(id: string | null): Quad_Subject | undefined {
    if (id === null) return undefined;
    if (!id.startsWith('_:')) return namedNode(checkedIri(id));
    const known = this.#nodes.get(id);
    if (known) return known;
    const node = this.#fresh();
    this.#nodes.set(id, node);
    return node;
  }

  #fresh(): BlankNode {
    return blankNode(`b${this.#blankNodes++}`);
  }
}

function checkedIri(iri: string): string {
  if (!isIri(iri)) throw new RangeError(`${JSON.stringify(iri)} is not an absolute IRI.`);
  return iri;
}

function valueLiteral({ '@value': value, '@type': type, '@language': language }: Expanded): Literal {
  if (Array.isArray(type)) throw new RangeError('A value of more than one type');
  if (type === '@json') return literal(canonicalJson(value), `${prefixes.rdf}JSON`);
  let term: Literal;
  if (typeof value === 'string') {
    if (language !== undefined) term = languageLiteral(value, language as string);
    else term = literal(value, type === undefined ? xsd.string : checkedIri(type as string));
  } else {
    const [text, own] = typeof value === 'number' ? numberText(value, type) : [String(value), xsd.boolean];
    term = literal(text, type === undefined ? own : checkedIri(type as string));
  }
  const fault = faultyLiteral(term);
  if (fault !== undefined) throw new RangeError(`${fault} is not a literal of RDF 1.1.`);
  return term;
}

// The lexical form of a number, and the datatype that it has unless another is given.
function numberText(value: number, type: unknown): [text: string, datatype: string] {
  if (Number.isInteger(value) && Math.abs(value) < 1e21 && type !== xsd.double) return [value.toFixed(0), xsd.integer];
  // What is too large for a double: a number of JSON has no limit.
  if (!Number.isFinite(value)) return [value > 0 ? 'INF' : '-INF', xsd.double];
  return [value.toExponential(15).replace(/(\d)0*e\+?/, '$1E'), xsd.double];
}

// RFC 8785: JSON.stringify prints numbers and strings as it asks, and keys that are integers before all others.
function canonicalJson(value: unknown): string {
  // It would be written as null.
  if (value === Infinity || value === -Infinity)
    throw new RangeError('A number in a JSON literal past those of a double');
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
}
