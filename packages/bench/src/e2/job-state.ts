import { type Draft, literal, namedNode, quad, rdf, xsd } from '@ldes-live/rdf-stream';

const JOB = 'http://example.org/jobs#Job';
/** The property that says whether a job is complete. */
export const COMPLETE = 'http://example.org/jobs#complete';

/** A job as an entity of a stream, as it is now. */
export function jobState(entity: string, complete: boolean): Draft {
  const subject = namedNode(entity);
  return {
    kind: 'upsert',
    entity,
    origin: 'jobs',
    fingerprint: String(complete),
    quads: [
      quad(subject, namedNode(rdf.type), namedNode(JOB)),
      quad(subject, namedNode(COMPLETE), literal(String(complete), xsd.boolean)),
    ],
  };
}
