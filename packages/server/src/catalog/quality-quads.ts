import {
  dct,
  dqv,
  type FindingMeaning,
  foaf,
  languageLiteral,
  literal,
  namedNode,
  prov,
  rdf,
  type StreamDescription,
  xsd,
} from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object } from '@rdfjs/types';
import type { QualityMeasurement } from './quality-watch.ts';
import { eachIri, statements } from './statements.ts';

/**
 * What the catalogue says of the quality of a stream's data: how often something was noticed of it, and when.
 *
 * @see specs/documents.md DOC-70
 * @see https://www.w3.org/TR/vocab-dqv/
 */
export function qualityQuads(description: StreamDescription, measurements: readonly QualityMeasurement[]): Quad[] {
  return measurements.flatMap((measurement) => {
    const { origin, finding, count, at } = measurement;
    const measured = `${description.url}#quality/${encodeURIComponent(origin)}/${encodeURIComponent(finding)}`;
    return [
      ...statements(description.iri, eachIri(dqv.hasQualityMeasurement, [measured])),
      ...statements(measured, [
        ...eachIri(rdf.type, [dqv.QualityMeasurement]),
        ...eachIri(dqv.computedOn, [description.iri]),
        ...eachIri(dqv.isMeasurementOf, [metricIri(description.publicUrl, finding)]),
        [dqv.value, literal(String(count), xsd.integer)],
        [dct.source, sourceTerm(origin)],
        ...(at === undefined ? [] : [[prov.generatedAtTime, literal(at, xsd.dateTime)] as const]),
      ]),
    ];
  });
}

/**
 * What the catalogue says of the metrics that there are measurements of, each once.
 *
 * @see specs/documents.md DOC-71
 */
export function metricQuads(publicUrl: string, measurements: readonly QualityMeasurement[]): Quad[] {
  const metrics = new Map<string, FindingMeaning | undefined>();
  // One source may say what another leaves open.
  for (const { finding, meaning } of measurements) metrics.set(finding, metrics.get(finding) ?? meaning);
  return [...metrics].flatMap(([finding, meaning]) =>
    statements(metricIri(publicUrl, finding), [
      ...eachIri(rdf.type, [dqv.Metric]),
      [dct.identifier, literal(finding)],
      ...(meaning ? [[dct.title, languageLiteral(meaning.title, 'en')] as const] : []),
      ...eachIri(foaf.page, meaning?.url === undefined ? [] : [meaning.url]),
      ...eachIri(dqv.expectedDataType, [xsd.integer]),
    ]),
  );
}

function metricIri(publicUrl: string, finding: string): string {
  return `${publicUrl}#metric-${encodeURIComponent(finding)}`;
}

// A source that is polled is named by its URL, if not configured otherwise; any other by whatever its owner likes.
function sourceTerm(origin: string): Quad_Object {
  return URL.canParse(origin) && new URL(origin).href === origin ? namedNode(origin) : literal(origin);
}
