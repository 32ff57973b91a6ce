import { rdf, sh } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { ContentShape } from '../options.ts';

/**
 * Finds the shape of members in a document of shapes: its one node shape that has an IRI and that no other refers to.
 *
 * @param stream - for the message
 * @throws {@link StreamError} `ERR_SHAPE_UNUSABLE` - there is none, or more than one
 * @see specs/ingest.md ING-32
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
