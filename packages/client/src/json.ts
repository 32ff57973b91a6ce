/*
 * Plain objects of members. Without a context: quads -> object, by local names, here. By a JSON-LD context or frame:
 * quads -> expanded JSON-LD -> numbers and booleans as those of JavaScript -> framed -> object without its context.
 *
 *   await toObject(change)
 *   // { id: 'http://example.org/vehicles/12', type: 'Vehicle', label: 'Tram 12', speed: 5.4, latitude: 51.02, longitude: 3.45 }
 *   await toObject(change, { context: { name: 'http://www.w3.org/2000/01/rdf-schema#label' } })
 *   // { '@id': 'http://example.org/vehicles/12#v7', name: 'Tram 12', ... }
 */
import type { Member } from '@ldes-live/rdf-stream';
import { isStreamError } from '@ldes-live/rdf-stream/errors';
import { memberPosition } from '@ldes-live/rdf-stream/position';
import { dct, decimals, rdf, terms, xsd } from '@ldes-live/rdf-stream/vocabulary';
import type { Literal, Quad, Term } from '@rdfjs/types';
import type { ContextDefinition, NodeObject, Options } from 'jsonld';
import type { Frame } from 'jsonld/jsonld-spec.js';
import type { MemberChange } from './change.ts';
import { checkNames, errors } from './errors.ts';

/** How the object looks. */
export interface ObjectOptions {
  /** Whether it becomes the `properties` of a GeoJSON feature (RFC 7946), at the member's point. @defaultValue false */
  readonly geojson?: boolean;
  /**
   * A JSON-LD context: the names of the properties. Absent: that of the frame, else properties have their local names.
   * A property whose type the context states keeps its values as text; other numbers and booleans become
   * those of JavaScript.
   */
  readonly context?: object | string | readonly (object | string)[];
  /**
   * A JSON-LD frame: which properties, and what is nested in what. Without an `@id` it is that of the change's
   * node, whatever else the frame asks for. Absent: all properties, and other nodes nested where they are
   * first referred to.
   */
  readonly frame?: object;
  /** Loads remote contexts. Absent: they are refused. */
  readonly documentLoader?: ContextLoader;
}

/**
 * Makes a plain object of the quads of a change or member.
 *
 * By itself it is that of the entity: `id`, `type`, and properties by their local names, such as `label`; where two have
 * one local name, by their IRIs. Values of a property's own vocabulary have local names too, texts in several languages
 * stand by their language, and a point is `latitude` and `longitude`.
 *
 * By a context or a frame it is named and nested as that says. It is the node of the version where the quads speak of that,
 * else the node of the entity; named graphs are merged into it. The context itself is left out.
 *
 * @throws {@link StreamError} `ERR_OPTION_UNKNOWN` - there is no such option
 * @throws {@link StreamError} `ERR_CONTEXT_REFUSED` - a remote context, and no `documentLoader`
 * @throws {@link StreamError} `ERR_OBJECT_UNMADE` - an invalid context or frame, or quads that JSON-LD cannot hold
 */
export async function toObject(
  subject: MemberChange | Member,
  options: ObjectOptions = {},
): Promise<Record<string, unknown>> {
  checkNames(options, OBJECT_OPTIONS);
  const member = 'member' in subject ? subject.member : subject;
  const properties = await propertiesOf(member, options).catch((cause) => {
    // As of nodes that are nested deeper than the stack.
    throw refusalIn(cause) ?? errors.ERR_OBJECT_UNMADE({ member: member.id, problem: (cause as Error).message }, cause);
  });
  if (!options.geojson) return properties;
  const point = pointOf(member);
  const geometry = point ? { type: 'Point', coordinates: [point.longitude, point.latitude] } : null;
  return { type: 'Feature', id: member.entity, geometry, properties };
}

const OBJECT_OPTIONS: Record<keyof ObjectOptions, true> = {
  geojson: true,
  context: true,
  frame: true,
  documentLoader: true,
};

async function propertiesOf(member: Member, options: ObjectOptions): Promise<Record<string, unknown>> {
  const isPlain = options.context === undefined && options.frame === undefined;
  return isPlain ? new PlainObjects(member).entity() : await framedObject(member, options);
}

function pointOf(member: Member) {
  return memberPosition({ id: rootOf(member), quads: member.quads });
}

const PLACE: readonly string[] = Object.values({ ...terms('geo', 'hasGeometry'), ...terms('wgs', 'lat long') });

/** `http://example.org/ns#label` -> `{ namespace: 'http://example.org/ns#', name: 'label' }`. */
const split = (iri: string) => {
  const at = 1 + Math.max(...[...'/#:'].map((mark) => iri.lastIndexOf(mark)));
  return at === iri.length ? { namespace: '', name: iri } : { namespace: iri.slice(0, at), name: iri.slice(at) };
};

function groupedBy(part: 'subject' | 'predicate', quads: readonly Quad[]): Map<string, Quad[]> {
  const groups = new Map<string, Quad[]>();
  for (const quad of quads) {
    const group = groups.get(quad[part].value);
    if (group) group.push(quad);
    else groups.set(quad[part].value, [quad]);
  }
  return groups;
}

class PlainObjects {
  readonly #member: Member;
  readonly #nodes: ReadonlyMap<string, readonly Quad[]>;
  // Properties by local name: one that several have names none of them.
  readonly #named = new Map<string, string>([
    ['id', ''],
    ['type', rdf.type],
  ]);
  // A node that refers to itself, or is referred to twice, stands inside the first that does.
  readonly #nested = new Set<string>();
  // Blank nodes that are referred to twice, and so need a name.
  readonly #shared: ReadonlySet<string>;
  readonly #place: ReturnType<typeof pointOf>;

  constructor(member: Member) {
    this.#member = member;
    this.#place = pointOf(member);
    if (this.#place) for (const name of Object.keys(this.#place)) this.#named.set(name, '');
    const referred = member.quads.flatMap(({ object }) => (object.termType === 'BlankNode' ? [object.value] : []));
    this.#shared = new Set(referred.filter((label, index) => referred.indexOf(label) !== index));
    this.#nodes = groupedBy('subject', member.quads);
    for (const { predicate } of member.quads) {
      const { name } = split(predicate.value);
      const owner = this.#named.get(name) ?? predicate.value;
      this.#named.set(name, owner === predicate.value ? owner : '');
    }
  }

  entity(): Record<string, unknown> {
    const { id, entity } = this.#member;
    const place = this.#place;
    const quads = [...new Set([id, entity])].flatMap((iri) => {
      this.#nested.add(iri);
      return this.#nodes.get(iri) ?? [];
    });
    const stated = quads.filter(
      ({ predicate, object }) =>
        !(predicate.value === dct.isVersionOf && object.value === entity) &&
        !(place && PLACE.includes(predicate.value)),
    );
    return { id: entity, ...this.#properties(stated), ...place };
  }

  #properties(quads: readonly Quad[]): Record<string, unknown> {
    const entries = [...groupedBy('predicate', quads)].map(([property, stating]) => {
      const { name, namespace } = split(property);
      const key = this.#named.get(name) === property ? name : property;
      const values = stating.map(({ object }) => object);
      return [property === rdf.type ? 'type' : key, this.#values(values, namespace, property === rdf.type)];
    });
    return Object.fromEntries(entries);
  }

  #values(terms: readonly Term[], namespace: string, areTypes: boolean): unknown {
    const languages = new Set(terms.map((term) => (term.termType === 'Literal' ? term.language : '')));
    if (terms.length > 1 && languages.size === terms.length && !languages.has(''))
      return Object.fromEntries(terms.map((term) => [(term as Literal).language, term.value]));
    const values = terms.map((term) => (areTypes ? split(term.value).name : this.#value(term, namespace)));
    return values.length === 1 ? values[0] : values;
  }

  #value(term: Term, namespace: string): unknown {
    const { value } = term;
    if (term.termType === 'Literal') return nativeOf({ '@type': term.datatype.value, '@value': value }) ?? value;
    if (value === rdf.nil) return [];
    const quads = this.#nodes.get(value);
    if (quads && !this.#nested.has(value)) {
      this.#nested.add(value);
      if (quads.some(({ predicate }) => predicate.value === rdf.rest)) return this.#list(quads, namespace);
      const id = term.termType === 'NamedNode' ? value : this.#shared.has(value) && `_:${value}`;
      return { ...(id && { id }), ...this.#properties(quads) };
    }
    if (term.termType === 'BlankNode') return `_:${value}`;
    const own = split(value);
    return own.namespace === namespace ? own.name : value;
  }

  #list(cell: readonly Quad[], namespace: string): unknown[] {
    const items: unknown[] = [];
    for (let quads: readonly Quad[] | undefined = cell; quads; ) {
      let rest = '';
      for (const { predicate, object } of quads) {
        if (predicate.value === rdf.first) items.push(this.#value(object, namespace));
        else if (predicate.value === rdf.rest) rest = object.value;
      }
      quads = this.#nested.has(rest) ? undefined : this.#nodes.get(rest);
      this.#nested.add(rest);
    }
    return items;
  }
}

async function framedObject(member: Member, options: ObjectOptions): Promise<Record<string, unknown>> {
  const frame = frameOf(options, rootOf(member));
  const graph = { termType: 'DefaultGraph', value: '' };
  // The library would make it the prototype of its node.
  const prototype = member.quads.find(({ predicate }) => predicate.value.endsWith('__proto__'));
  if (prototype) throw new TypeError(`an object cannot hold the property ${prototype.predicate.value}`);
  // Only who asks for objects loads what makes them.
  const { default: jsonld } = await import('jsonld');
  const documentLoader = loadInto(options.documentLoader);
  const processing = { documentLoader, omitGraph: true, base: '' } as Options.Frame & Options.Compact;
  const merged = member.quads.map(({ subject, predicate, object }) => ({ subject, predicate, object, graph }));
  const nodes = (await jsonld.fromRDF(merged as object)) as NodeObject[];
  const compact = async (node: NodeObject) =>
    await jsonld.compact(node, frame['@context'] as ContextDefinition, processing);
  const framed = await jsonld.frame(await nativeValues(nodes, compact), frame as Frame, processing);
  const { '@context': _, ...object } = framed;
  return object;
}

function rootOf({ id, entity, quads }: Member): string {
  const speaksOf = (iri: string) => quads.some(({ subject }) => subject.value === iri);
  return speaksOf(id) || !speaksOf(entity) ? id : entity;
}

function frameOf({ context, frame = {} }: ObjectOptions, root: string): Record<string, unknown> {
  const { '@context': own = {}, ...asked } = frame as Record<string, unknown>;
  const used = (context ?? own) as Record<string, unknown>;
  const asksForNode = Object.keys(asked).some((key) => key === '@id' || used[key] === '@id');
  return { ...(asksForNode ? {} : { '@id': root }), ...asked, '@context': used };
}

// `jsonld` wraps what its loader throws.
function refusalIn(error: unknown): unknown {
  if (isStreamError(error, 'ERR_CONTEXT_REFUSED')) return error;
  const cause = (error as { details?: { cause?: unknown } }).details?.cause;
  return cause === undefined ? undefined : refusalIn(cause);
}

/** Loads the JSON-LD context at a URL. */
export type ContextLoader = (url: string) => Promise<{ readonly document: object | string }>;

// In the form that `jsonld` asks for; without a loader, all that is remote is refused.
function loadInto(loader: ContextLoader | undefined) {
  return async (url: string) => {
    if (!loader) throw errors.ERR_CONTEXT_REFUSED({ url });
    const { document } = await loader(url);
    return { documentUrl: url, document: typeof document === 'string' ? JSON.parse(document) : document };
  };
}

type ValueObject = { readonly '@type'?: string; readonly '@value': string };
type Expanded = ValueObject | { readonly '@list': readonly Expanded[] };
type Compact = (node: NodeObject) => Promise<object>;

const FLOATS: readonly string[] = Object.values(terms('xsd', 'double float'));
const DECIMALS: readonly string[] = Object.values(decimals);

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }));

// A double holds any decimal of 15 digits.
const EXACT_DIGITS = 15;

/**
 * Numbers and booleans in expanded JSON-LD as those of JavaScript, where these hold them exactly and the context, by which
 * `compact` compacts, does not state their type: a property that it states a type for would otherwise lose its name.
 */
async function nativeValues(nodes: readonly NodeObject[], compact: Compact): Promise<NodeObject[]> {
  const typed = new Map<string, Promise<boolean>>();
  const isTyped = (property: string, value: ValueObject, isListed: boolean) => {
    const key = `${property} ${value['@type']} ${isListed}`;
    const known = typed.get(key) ?? statesType(property, isListed ? { '@list': [value] } : value, compact);
    typed.set(key, known);
    return known;
  };
  const convert = async (property: string, value: Expanded, isListed = false): Promise<unknown> => {
    if ('@list' in value) return { '@list': await convertAll(property, value['@list'], true) };
    const native = nativeOf(value);
    if (native === undefined || (await isTyped(property, value as ValueObject, isListed))) return value;
    return { '@value': native };
  };
  const convertAll = async (property: string, values: readonly Expanded[], isListed = false): Promise<unknown[]> =>
    await Promise.all(values.map((value) => convert(property, value, isListed)));
  const convertNode = async (node: NodeObject): Promise<NodeObject> => {
    const entries = Object.entries(node).map(async ([property, values]) =>
      property.startsWith('@') ? [property, values] : [property, await convertAll(property, values as Expanded[])],
    );
    return Object.fromEntries(await Promise.all(entries)) as NodeObject;
  };
  return await Promise.all(nodes.map(convertNode));
}

function nativeOf({ '@type': type = '', '@value': text = '' }: Partial<ValueObject>): number | boolean | undefined {
  if (type === xsd.boolean) return BOOLEANS.get(text);
  const isFloat = FLOATS.includes(type);
  // `Number` takes much that XML Schema does not, and XML Schema has an infinity that JSON has not.
  if ((!isFloat && !DECIMALS.includes(type)) || !NUMBER.test(text)) return undefined;
  const isExact = isFloat || text.replace(/\D/g, '').length <= EXACT_DIGITS;
  return isExact && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

async function statesType(property: string, value: Expanded, compact: Compact): Promise<boolean> {
  const probe = { [property]: [value] } as unknown as NodeObject;
  const { '@context': _, ...compacted } = (await compact(probe)) as Record<string, unknown>;
  // A value whose type the context states is text alone, whatever its container.
  return typeof [Object.values(compacted)[0]].flat()[0] === 'string';
}
