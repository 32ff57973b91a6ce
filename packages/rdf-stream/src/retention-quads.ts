import type { Quad } from '@rdfjs/types';
import type { RetentionPolicy } from './stream-description.ts';
import { literal, namedNode, quad } from './terms.ts';
import { ldes, rdf, xsd } from './vocabulary.ts';
import { xsdDuration } from './xsd-duration.ts';

/**
 * What a view keeps: the policy, and what it is.
 *
 * The policy has an IRI, since LDES asks for one, and is described beside it, since otherwise it would say that
 * nothing is kept.
 *
 * @param view - IRI of the view's description
 * @param policyIri - IRI of the policy
 * @see specs/documents.md DOC-26
 * @see https://w3id.org/ldes/specification#retention
 */
export function retentionQuads(view: string, policyIri: string, policy: RetentionPolicy): Quad[] {
  const subject = namedNode(policyIri);
  const { startingFrom, fullLogMs, versionAmount, versionMs, versionDeleteMs } = policy;
  const duration = (ms: number | undefined) => (ms === undefined ? undefined : literal(xsdDuration(ms), xsd.duration));
  const statements: [predicate: string, object: Quad['object'] | undefined][] = [
    [rdf.type, namedNode(ldes.RetentionPolicy)],
    [ldes.startingFrom, startingFrom === undefined ? undefined : literal(startingFrom, xsd.dateTime)],
    [ldes.fullLogDuration, duration(fullLogMs)],
    [ldes.versionAmount, versionAmount === undefined ? undefined : literal(String(versionAmount), xsd.integer)],
    [ldes.versionDuration, duration(versionMs)],
    [ldes.versionDeleteDuration, duration(versionDeleteMs)],
  ];
  return [
    quad(namedNode(view), namedNode(ldes.retentionPolicy), subject),
    ...statements.flatMap(([predicate, object]) => (object ? [quad(subject, namedNode(predicate), object)] : [])),
  ];
}
