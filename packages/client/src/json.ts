/*
 * Plain objects of members, named and nested by a JSON-LD context or frame:
 * quads -> expanded JSON-LD -> numbers and booleans as those of JavaScript -> framed -> object without its context.
 *
 *   await toObject(change, { context: { label: 'http://www.w3.org/2000/01/rdf-schema#label' } })
 *   // { '@id': 'http://example.org/vehicles/12', label: 'Tram 12' }
 */
import type { Member } from '@ldes-live/rdf-stream';
import { isStreamError } from '@ldes-live/rdf-stream/errors';
import { prefixes, xsd } from '@ldes-live/rdf-stream/vocabulary';
import type { Quad } from '@rdfjs/types';
import type { ContextDefinition, NodeObject, Options } from 'jsonld';
import type { Frame } from 'jsonld/jsonld-spec.js';
import type { MemberChange } from './change.ts';
import { errors } from './errors.ts';

/** How the object looks. */
export interface ObjectOptions {
  /**
   * A JSON-LD context: the names of the properties. Absent: that of the frame, else properties are named by IRI.
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
 * Makes a plain object of the quads of a change or member, named and nested by a JSON-LD context or frame. It is
 * the node of the version where the quads speak of that, else the node of the entity; named graphs are merged into
 * it. The context itself is left out.
 *
 * @throws {@link StreamError} `ERR_CONTEXT_REFUSED` - a remote context, and no `documentLoader`
 * @throws {@link StreamError} `ERR_OBJECT_UNMADE` - an invalid context or frame, or quads that JSON-LD cannot hold
 * @see specs/mal.md MAL-75
 */
export async function toObject(
  subject: MemberChange | Member,
  options: ObjectOptions = {},
): Promise<Record<string, unknown>> {
  const member = 'member' in subject ? subject.member : subject;
  const frame = frameOf(options, rootOf(member));
  try {
    // Only who asks for objects loads what makes them.
    const { default: jsonld } = await import('jsonld');
    const processing = {
      documentLoader: loadInto(options.documentLoader),
      omitGraph: true,
      base: '',
    } as Options.Frame & Options.Compact;
    const nodes = (await jsonld.fromRDF(merged(member.quads) as object)) as NodeObject[];
    const compact = async (node: NodeObject) =>
      await jsonld.compact(node, frame['@context'] as ContextDefinition, processing);
    const framed = await jsonld.frame(await nativeValues(nodes, compact), frame as Frame, processing);
    const { '@context': _, ...object } = framed;
    return object;
  } catch (cause) {
    throw refusalIn(cause) ?? errors.ERR_OBJECT_UNMADE({ member: member.id, problem: (cause as Error).message }, cause);
  }
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

const DEFAULT_GRAPH = { termType: 'DefaultGraph', value: '' } as const;

function merged(quads: readonly Quad[]): object[] {
  return quads.map(({ subject, predicate, object }) => ({ subject, predicate, object, graph: DEFAULT_GRAPH }));
}

// `jsonld` wraps what its loader throws.
function refusalIn(error: unknown): unknown {
  if (isStreamError(error, 'ERR_CONTEXT_REFUSED')) return error;
  const cause = (error as { details?: { cause?: unknown } }).details?.cause;
  return cause === undefined ? undefined : refusalIn(cause);
}

/** Loads the JSON-LD document, a context, at a URL. */
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

const FLOATS: readonly string[] = [xsd.double, `${prefixes.xsd}float`];
const DECIMALS: readonly string[] = [
  ...['decimal', 'integer', 'long', 'int', 'short', 'byte', 'nonNegativeInteger', 'positiveInteger'],
  ...['unsignedLong', 'unsignedInt', 'unsignedShort', 'unsignedByte', 'nonPositiveInteger', 'negativeInteger'],
].map((name) => prefixes.xsd + name);

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

// A double holds any decimal of 15 digits.
const EXACT_DIGITS = 15;

/**
 * Numbers and booleans in expanded JSON-LD as those of JavaScript, where these hold them exactly and the context does
 * not state their type: a property that it states a type for would otherwise lose its name.
 *
 * @param compact - compacts by the context in question
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
