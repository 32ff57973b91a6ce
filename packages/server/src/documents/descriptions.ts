/* What describes and shows no state of a log: shapes of members, vocabularies and their JSON-LD contexts.
 *   S/shape                   what every member of the stream has, and the content shape of its source
 *   P ns/live                 { quads, context }: the terms of the framework, as a document
 *   P ns/live/context-….jsonld  { "@context": { "live": "https://w3id.org/ldes-live/terms#", … } }, never changed */
import { createHash } from 'node:crypto';
import {
  as,
  dct,
  literal,
  live,
  type NodeShape,
  namedNode,
  nodeShapeQuads,
  type PropertyShape,
  prefixes,
  prov,
  quad,
  rdf,
  type StreamDescription,
  sh,
  tree,
  xsd,
} from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { ContentShape, Vocabulary } from '../options.ts';
import { type StreamDocument, streamUrls } from './document.ts';

/** For how long a document that describes is kept, seconds: a minute is soon enough for whoever looks. */
export const DESCRIPTION_MAX_AGE_SECONDS = 60;

/**
 * The catalogue, a vocabulary, a shape: it changes with the configuration and the software, which leave no date.
 *
 * @param version - equal for equal content; always the same when absent
 */
export function descriptionDocument(
  url: string,
  quads: () => readonly Quad[],
  version: () => string = () => '',
): StreamDocument {
  return {
    url,
    state: () => ({ version: version(), caching: { maxAgeSeconds: DESCRIPTION_MAX_AGE_SECONDS } }),
    build: async () => ({ quads: quads(), lastModifiedMs: 0 }),
  };
}

type Value = string | Quad_Object;

/** The quads about a node: by predicate its values, where a text is an IRI. What has no value is not stated. */
export function describe(iri: string, values: Readonly<Record<string, Value | readonly Value[] | undefined>>): Quad[] {
  return Object.entries(values).flatMap(([predicate, value = []]) =>
    [value]
      .flat()
      .map((object) =>
        quad(namedNode(iri), namedNode(predicate), typeof object === 'string' ? namedNode(object) : object),
      ),
  );
}

/**
 * Finds the shape of members in a document of shapes: its one node shape that has an IRI and that no other refers to.
 *
 * @param stream - for the message
 * @throws {@link StreamError} `ERR_SHAPE_UNUSABLE` - there is none, or more than one
 * @see specs/ingest.md
 */
export function readContentShape(stream: string, quads: readonly Quad[]): ContentShape {
  const referred = new Set(quads.map(({ object }) => object.value));
  const roots = new Set(
    quads.flatMap(({ subject, predicate, object }) => {
      const isShape = predicate.value === rdf.type && object.value === sh.NodeShape;
      return isShape && subject.termType === 'NamedNode' && !referred.has(subject.value) ? [subject.value] : [];
    }),
  );
  const [iri] = roots;
  if (iri !== undefined && roots.size === 1) return { iri, quads };
  const found = iri === undefined ? 'it has no' : `it has ${roots.size} (${[...roots].join(', ')})`;
  throw errors.ERR_SHAPE_UNUSABLE({
    stream,
    reason: `${found} sh:NodeShape with an IRI that no other shape refers to`,
  });
}

/** URL of the document that describes the members of a stream, and IRI of the shape that they have. */
export function shapeUrl(description: StreamDescription): string {
  return streamUrls(description).shape;
}

/**
 * The SHACL shape of the members of a stream: what every member says of its place in the stream, and then either
 * nothing but that its entity has ended, or what the content shape says.
 *
 * What is required of every member is written with every member, so that a client which fetches what it does not
 * find in the page never does.
 *
 * @param content - the shape of the content; any content when absent
 * @see specs/documents.md DOC-54
 */
export function memberShapeQuads(description: StreamDescription, content?: ContentShape): Quad[] {
  const iri = shapeUrl(description);
  const one = (path: string, values: Omit<PropertyShape, 'path'>): PropertyShape => ({
    path,
    minCount: 1,
    maxCount: 1,
    ...values,
  });
  const place = [
    one(dct.isVersionOf, { nodeKindIri: true }),
    one(prov.generatedAtTime, { datatypes: [xsd.dateTime] }),
    one(description.sequencePath, { datatypes: [xsd.integer], minInclusive: 1 }),
  ];
  const [end, ended, version] = [`${iri}#End`, `${iri}#Ended`, `${iri}#Version`];
  const shapes: NodeShape[] = [
    { iri, targetObjectsOf: tree.member, nodeKindIri: true, properties: place, or: [end, version] },
    {
      iri: end,
      and: [ended],
      properties: [{ path: rdf.type, maxCount: 1 }, ...place.map(({ path }) => ({ path }))],
      ignoredProperties: [],
    },
    { iri: ended, properties: [{ path: rdf.type, hasValue: [as.Delete] }] },
    { iri: version, not: ended, properties: [], ...(content ? { and: [content.iri] } : {}) },
  ];
  return [...shapes.flatMap(nodeShapeQuads), ...(content?.quads ?? [])];
}

/**
 * The terms of the framework itself, which are the same at every publisher, as the server describes them.
 *
 * @see specs/vocabulary/live.ttl
 */
export function liveVocabulary(): Vocabulary {
  const quads = describe(live.sequence, {
    [rdf.type]: `${prefixes.rdf}Property`,
    [`${prefixes.rdfs}label`]: literal('sequence'),
    [`${prefixes.rdfs}comment`]: literal(
      'Position of a member in the log of its stream: 1 for the first, one more for each next.',
    ),
    [`${prefixes.rdfs}range`]: xsd.integer,
    [`${prefixes.rdfs}isDefinedBy`]: prefixes.live.slice(0, -1),
  });
  return { quads, context: { live: prefixes.live, sequence: { '@id': 'live:sequence', '@type': xsd.integer } } };
}

// More would not make an accident less likely than it is.
const HASH_DIGITS = 16;

/**
 * The JSON-LD context of a vocabulary, and its URL with a hash of its content: what stands there never changes.
 *
 * @see specs/documents.md DOC-56
 */
export function vocabularyContext(
  publicUrl: string,
  name: string,
  { context }: Vocabulary,
): { readonly url: string; readonly bytes: Buffer } {
  const bytes = Buffer.from(JSON.stringify({ '@context': context }));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS);
  return { url: `${publicUrl}ns/${name}/context-${hash}.jsonld`, bytes };
}
