import type { Member } from '@ldes-live/rdf-stream';
import { isStreamError } from '@ldes-live/rdf-stream/errors';
import type { Quad } from '@rdfjs/types';
import type { ContextDefinition, NodeObject, Options } from 'jsonld';
import type { Frame } from 'jsonld/jsonld-spec.js';
import type { MemberChange } from '../change.ts';
import { errors } from '../errors.ts';
import { type ContextLoader, loadInto } from './context-loader.ts';
import { nativeValues } from './native-values.ts';

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
