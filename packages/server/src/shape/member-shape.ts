import {
  as,
  dct,
  type NodeShape,
  nodeShapeQuads,
  type PropertyShape,
  prov,
  rdf,
  type StreamDescription,
  tree,
  xsd,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { ContentShape } from '../options.ts';

/** UTC with milliseconds. */
const PUBLICATION_TIME = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';

/** URL of the document that describes the members of a stream, and IRI of the shape that they have. */
export function shapeUrl(description: StreamDescription): string {
  return `${description.url}/shape`;
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
    one(prov.generatedAtTime, { datatypes: [xsd.dateTime], pattern: PUBLICATION_TIME }),
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
