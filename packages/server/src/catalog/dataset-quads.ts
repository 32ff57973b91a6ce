import {
  dcat,
  dct,
  ldes,
  literal,
  namedNode,
  rdf,
  streamQuads,
  streamSummaryQuads,
  tree,
  vocals,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { pollingInterval } from '../documents/polling-interval.ts';
import { shapeUrl } from '../shape/member-shape.ts';
import { entryPoints, type PublishedStream, viewIri } from '../views/published-stream.ts';
import { accrualPeriodicity } from './accrual-periodicity.ts';
import { publisherIri } from './publisher-quads.ts';
import { pushIri, SPECIFICATIONS } from './service-quads.ts';
import { eachIri, type Statement, statements } from './statements.ts';

/**
 * What the catalogue says of a stream as a dataset; what the root says of it too, it says in the same words.
 *
 * @see specs/documents.md DOC-50, DOC-51
 */
export function datasetQuads(stream: PublishedStream): Quad[] {
  const { description } = stream;
  const { about, publicUrl } = description;
  const entries = entryPoints(stream).map(({ url }) => url);
  return [
    ...streamQuads(description, description.url),
    ...streamSummaryQuads(description, { shape: shapeUrl(description), ...pollingInterval(stream) }),
    ...statements(description.iri, [
      ...eachIri(
        tree.view,
        entries.filter((url) => url !== description.url),
      ),
      ...eachIri(rdf.type, [dcat.Dataset, vocals.RDFStream]),
      // Where a catalogue holds other datasets too, this tells a reader what it is.
      ...eachIri(dct.type, [ldes.EventStream]),
      ...eachIri(dct.conformsTo, SPECIFICATIONS),
      ...(about.description === undefined ? [] : [[dct.description, literal(about.description)] as const]),
      ...eachIri(dct.publisher, about.publisher ? [publisherIri(publicUrl, about.publisher)] : []),
      ...eachIri(dct.license, about.licence === undefined ? [] : [about.licence]),
      ...(about.keywords ?? []).map((keyword): Statement => [dcat.keyword, literal(keyword)]),
      [dct.accrualPeriodicity, namedNode(accrualPeriodicity(stream.schedule()))],
      ...eachIri(dcat.distribution, entries.map(viewIri)),
      ...eachIri(vocals.hasEndpoint, [pushIri(description)]),
    ]),
  ];
}
