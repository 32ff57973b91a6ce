// Checked quads as JSON-LD 1.1 objects, and what these need of a context.
//   <v/1> dct:isVersionOf <e/1> ; ex:count 5 ; ex:time "..."^^xsd:dateTime .
//   -> objects  { "@id": "v/1", "dct:isVersionOf": "e/1", "ex:count": 5, "ex:time": "..." }
//   -> needs    { prefixes: ["dct", "ex", "xsd"], schemes: [],
//                 types: { dct:isVersionOf: "@id", ex:count: "integer", ex:time: xsd:dateTime } }
//   -> context  { "dct": "...", "ex": "...", "xsd": "...", "dct:isVersionOf": { "@type": "@id" }, "ex:time": ... }
// JSON-LD means what its context says. Texts with different needs stand under one context where these agree; what they do
// not agree on is avoided: a property without a type in the context, or a prefix that nobody uses.
import type { Literal, Quad, Term } from '@rdfjs/types';
import { groupNodes, type NodeQuads, type Nodes, nestedAt, type PrefixTable } from './graph-nodes.ts';
import { termKey } from './terms.ts';
import { rdf, tree, xsd } from './vocabulary.ts';

/** What objects need of the context above them. */
export interface ContextNeeds {
  /** Prefixes that are used, sorted. */
  readonly prefixes: readonly string[];
  /** By property: `@id` or the datatype that plain texts are to be read as, or which plain values stand there. */
  readonly types: ReadonlyMap<string, string>;
  /** Schemes of IRIs that are prefixes in the table too, sorted: nearly always none. */
  readonly schemes: readonly string[];
}

/** What objects must not rely on. */
export interface Avoid {
  /** Properties that have no type in the context. */
  readonly properties: ReadonlySet<string>;
  readonly prefixes: ReadonlySet<string>;
}

export const AVOID_NONE: Avoid = { properties: new Set(), prefixes: new Set() };

// Plain JSON values that need no type in the context. Numbers and booleans are read the same under their own type.
const PLAIN = 'plain';
const INTEGER = 'integer';
const BOOLEAN = 'boolean';
const OWN_TYPES: Readonly<Record<string, string>> = { [INTEGER]: xsd.integer, [BOOLEAN]: xsd.boolean };

// Whether a need is one of a type in the context.
function isTyped(need: string): boolean {
  return need !== PLAIN && need !== INTEGER && need !== BOOLEAN;
}

type JsonLdValue = string | number | boolean | { readonly [keyword: `@${string}`]: string };

/** A JSON-LD 1.1 document or node object. */
interface JsonLdObject {
  [key: string]: JsonLdValue | JsonLdObject | (JsonLdValue | JsonLdObject)[];
}

interface JsonLdNodes {
  /** The node that was asked for, or the statement that there is one of that name. */
  readonly own: JsonLdObject;
  /** All others that do not stand inside another node, and named graphs, in order of first appearance. */
  readonly others: JsonLdObject[];
  readonly needs: ContextNeeds;
}

/** Needs by the texts of what they are made of. */
export type KnownNeeds = Map<string, ContextNeeds>;

/** The most kinds of needs that are remembered: of a stream there are as many as its members have shapes. */
const LIMIT_NEEDS = 1024;

/**
 * The nodes of checked quads, that of `ownIri` apart from the others.
 *
 * @param known - needs that were met before: quads of one shape share one object
 */
export function jsonLdNodesOf(
  quads: readonly Quad[],
  ownIri: string | undefined,
  table: PrefixTable,
  avoid: Avoid,
  known: KnownNeeds = new Map(),
  embed: ReadonlySet<string> = new Set(),
): JsonLdNodes {
  const nodes = groupNodes(quads, embed);
  const writer = new NodesWriter(quads, nodes, table, avoid);
  const node = ownIri === undefined ? undefined : nodes.get('')?.get(ownIri);
  const own = node ? writer.nodeObject(node) : ownIri === undefined ? {} : { '@id': writer.iri(ownIri) };
  const others = writer.topLevelObjects(node);
  const { clashes } = writer;
  if (clashes.length > 0) return jsonLdNodesOf(quads, ownIri, table, avoiding(avoid, [], clashes), known, embed);
  return { own, others, needs: writer.needs(known) };
}

/**
 * Makes the compact JSON-LD 1.1 document of checked quads, which reads as the same quads, lexical forms included. Nodes
 * come in order of first appearance; members stand inside what refers to them too. A document of one node is that node; of
 * several, they are its `@graph`.
 */
export function jsonLdDocument(quads: readonly Quad[], table: PrefixTable): JsonLdObject {
  const { others, needs } = jsonLdNodesOf(quads, undefined, table, AVOID_NONE, new Map(), new Set([tree.member]));
  return { '@context': contextOf(needs, table), ...(others.length === 1 ? others[0] : { '@graph': others }) };
}

type Context = Pick<ContextNeeds, 'prefixes' | 'types'>;

/** The context that has what is needed. */
export function contextOf({ prefixes, types }: Context, table: PrefixTable): JsonLdObject {
  const used = new Set(prefixes);
  const context: JsonLdObject = {};
  for (const prefix of prefixes) context[prefix] = table.namespace(prefix);
  for (const [property, type] of types) {
    if (!isTyped(type)) continue;
    context[shortBy(property, used, table)] = { '@type': type === '@id' ? type : shortBy(type, used, table) };
  }
  return context;
}

/** An IRI as a context with these prefixes and no others has it. */
export function shortBy(iri: string, prefixes: ReadonlySet<string>, table: PrefixTable): string {
  const { text, prefix } = table.shorten(iri);
  return prefix === undefined || prefixes.has(prefix) ? text : iri;
}

/** What texts need together, or have to avoid where they do not agree. It does not depend on their order. */
export function needsTogether(
  all: Iterable<ContextNeeds>,
  avoid: Avoid,
): { readonly needs: Context } | { readonly avoid: Avoid } {
  const prefixes = new Set<string>();
  const schemes = new Set<string>();
  const types = new Map<string, string>();
  const disagreed = new Set<string>();
  for (const needs of all) {
    for (const prefix of needs.prefixes) prefixes.add(prefix);
    for (const scheme of needs.schemes) schemes.add(scheme);
    for (const [property, need] of needs.types) {
      const known = types.get(property);
      const both = known === undefined ? need : bothNeeds(known, need);
      if (both === undefined) disagreed.add(property);
      else types.set(property, both);
    }
  }
  for (const property of circular(types)) disagreed.add(property);
  const clashes = [...schemes].filter((scheme) => prefixes.has(scheme));
  if (disagreed.size > 0 || clashes.length > 0) return { avoid: avoiding(avoid, disagreed, clashes) };
  return { needs: { prefixes: [...prefixes].sort(), types: new Map([...types].sort(byName)) } };
}

/**
 * Properties that are the datatype of a property: a context that types both may define each by the other, which no reader
 * takes (JSON-LD 1.1 API, section 4.2.2).
 */
function circular(types: ReadonlyMap<string, string>): string[] {
  return [...types.values()].filter((type) => isTyped(type) && isTyped(types.get(type) ?? PLAIN));
}

/** Whether objects with these needs rely on something that is avoided. */
export function relies({ types, prefixes }: ContextNeeds, avoid: Avoid): boolean {
  for (const property of avoid.properties) if (isTyped(types.get(property) ?? PLAIN)) return true;
  return avoid.prefixes.size > 0 && prefixes.some((prefix) => avoid.prefixes.has(prefix));
}

function bothNeeds(left: string, right: string): string | undefined {
  if (left === right) return left;
  if (!isTyped(left) && !isTyped(right)) return PLAIN;
  if (OWN_TYPES[left] === right) return right;
  return OWN_TYPES[right] === left ? left : undefined;
}

function avoiding(avoid: Avoid, properties: Iterable<string>, prefixes: Iterable<string>): Avoid {
  return {
    properties: new Set([...avoid.properties, ...properties]),
    prefixes: new Set([...avoid.prefixes, ...prefixes]),
  };
}

function byName([left]: readonly [string, string], [right]: readonly [string, string]): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

class NodesWriter {
  readonly #nodes: Nodes;
  readonly #table: PrefixTable;
  readonly #avoided: ReadonlySet<string>;
  readonly #types: Map<string, string>;
  readonly #prefixes = new Set<string>();
  readonly #schemes = new Set<string>();

  constructor(quads: readonly Quad[], nodes: Nodes, table: PrefixTable, { properties, prefixes }: Avoid) {
    this.#nodes = nodes;
    this.#table = table;
    this.#avoided = prefixes;
    this.#types = typeNeeds(quads, nodes, (property) => properties.has(property) || table.isNamespace(property));
    for (const type of this.#types.values()) if (isTyped(type) && type !== '@id') this.iri(type);
  }

  // Prefixes that cannot be used, since an IRI that is written in full has a scheme of that name.
  get clashes(): string[] {
    return [...this.#schemes].filter((scheme) => this.#prefixes.has(scheme));
  }

  needs(known: KnownNeeds): ContextNeeds {
    // In the order of the quads, which is that of all members of a shape: to sort them costs more than to write them.
    // Neither names nor IRIs hold a space or a line feed.
    const text = [this.#prefixes, this.#schemes, [...this.#types].flat()].map((part) => [...part].join(' ')).join('\n');
    const met = known.get(text);
    if (met) return met;
    const prefixes = [...this.#prefixes].sort();
    const schemes = [...this.#schemes].sort();
    const needs = { prefixes, schemes, types: new Map([...this.#types].sort(byName)) };
    if (known.size >= LIMIT_NEEDS) known.clear();
    known.set(text, needs);
    return needs;
  }

  iri(iri: string): string {
    const { text, prefix, scheme } = this.#table.shorten(iri, this.#avoided);
    if (prefix !== undefined) this.#prefixes.add(prefix);
    if (scheme !== undefined) this.#schemes.add(scheme);
    return text;
  }

  // The nodes that do not stand inside others: those of the default graph, then an object for each named graph.
  topLevelObjects(except?: NodeQuads): JsonLdObject[] {
    const objects: JsonLdObject[] = [];
    for (const [name, graph] of this.#nodes) {
      const inGraph: JsonLdObject[] = name === '' ? objects : [];
      for (const node of graph.values()) {
        if (!node.reference && node !== except) inGraph.push(this.nodeObject(node));
      }
      if (name !== '') objects.push({ '@id': this.iri(name), '@graph': inGraph });
    }
    return objects;
  }

  nodeObject(node: NodeQuads): JsonLdObject {
    const { subject } = node.quads[0] as Quad;
    const isNestedBlank = node.reference !== undefined && subject.termType === 'BlankNode';
    const object: JsonLdObject = isNestedBlank ? {} : { '@id': this.#reference(subject) };
    for (const quad of node.quads) {
      const isType = quad.object.termType !== 'Literal' && quad.predicate.value === rdf.type;
      const key = isType ? '@type' : this.iri(quad.predicate.value);
      const value = isType ? this.#reference(quad.object) : this.#value(quad);
      const present = object[key];
      if (present === undefined) object[key] = value;
      else if (Array.isArray(present)) present.push(value);
      else object[key] = [present, value];
    }
    return object;
  }

  #value(quad: Quad): JsonLdValue | JsonLdObject {
    const { predicate, object } = quad;
    if (object.termType === 'Literal') return this.#literal(object, predicate.value);
    const nested = nestedAt(this.#nodes, quad);
    if (nested) return this.nodeObject(nested);
    const iri = this.#reference(object);
    return this.#types.get(predicate.value) === '@id' ? iri : { '@id': iri };
  }

  #literal(literal: Literal, property: string): JsonLdValue {
    const { value, language, datatype } = literal;
    if (language !== '') return { '@value': value, '@language': language };
    if (datatype.value === xsd.string) return value;
    if (isTyped(this.#types.get(property) ?? PLAIN)) return value;
    return nativeValue(literal) ?? { '@value': value, '@type': this.iri(datatype.value) };
  }

  #reference(term: Term): string {
    return term.termType === 'BlankNode' ? termKey(term) : this.iri(term.value);
  }
}

// The JSON value that reads as this integer or boolean with the very same lexical form.
function nativeValue({ value, datatype }: Literal): number | boolean | undefined {
  if (datatype.value === xsd.boolean) return value === 'true' ? true : value === 'false' ? false : undefined;
  if (datatype.value !== xsd.integer) return undefined;
  const number = Number(value);
  // -0 prints as 0, and so fails the comparison; empty and padded texts do too.
  return Number.isSafeInteger(number) && String(number) === value ? number : undefined;
}

// What the values of a property are as long as they are alike; DIFFERENT where they are not.
const DIFFERENT = '';
const LANGUAGE = '@language';

// What each property needs of the context: its values' common type where plain JSON does not say it exactly.
function typeNeeds(
  quads: readonly Quad[],
  nodes: Nodes,
  isAvoided: (property: string) => boolean,
): Map<string, string> {
  const types = new Map<string, string>();
  // Which plain values there are: those of numbers and booleans alone have needs of their own.
  const plain = new Map<string, string>();
  const exact = new Set<string>();
  for (const quad of quads) {
    const { predicate, object } = quad;
    const property = predicate.value;
    const isLiteral = object.termType === 'Literal';
    // Written as @type; and what is nested is an object anyway, which the context need not say how to read.
    if (!isLiteral && (property === rdf.type || nestedAt(nodes, quad))) continue;
    const type = !isLiteral ? '@id' : object.language === '' ? object.datatype.value : LANGUAGE;
    const known = types.get(property);
    if (known === undefined) types.set(property, type);
    else if (known !== type) types.set(property, DIFFERENT);
    if (!isLiteral || type === LANGUAGE) continue;
    const native = type === xsd.string ? '' : nativeValue(object);
    if (native === undefined) exact.add(property);
    else {
      const need = type === xsd.string ? PLAIN : typeof native === 'number' ? INTEGER : BOOLEAN;
      plain.set(property, need === (plain.get(property) ?? need) ? need : PLAIN);
    }
  }
  const needs = new Map<string, string>();
  const setPlain = (property: string) => {
    const need = plain.get(property);
    if (need === undefined) needs.delete(property);
    else needs.set(property, need);
  };
  for (const [property, type] of types) {
    const isPlain = type === DIFFERENT || type === LANGUAGE || type === xsd.string || isAvoided(property);
    if (!isPlain && (type === '@id' || exact.has(property))) needs.set(property, type);
    else setPlain(property);
  }
  for (const property of circular(needs)) setPlain(property);
  return needs;
}
