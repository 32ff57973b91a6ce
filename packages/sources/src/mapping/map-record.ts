import { literal, namedNode, quad, sosa, type UpsertDraft, xsd } from '@ldes-live/rdf-stream';
import { typeQuads } from './compile-node.ts';
import { ContentHash } from './content-hash.ts';
import type { Described } from './described.ts';
import { RecordProblem, type Scope } from './paths.ts';
import type { RecordPlan } from './record-plan.ts';
import { instantIn } from './version-time.ts';

const resultTime = namedNode(sosa.resultTime);

/**
 * Maps one record. The IRI of what it describes stands in `record.run.subject` as soon as it is known.
 *
 * @throws RecordProblem - it cannot be mapped
 */
export function mapRecord(plan: RecordPlan, record: Scope, origin: string): UpsertDraft {
  if (plan.mustNotBeList && Array.isArray(record.value)) {
    const place = { at: ['records'], path: '' };
    throw new RecordProblem(place, 'one record was expected, and it is a list: end the path with [*]', record.value);
  }
  for (const { path, place } of plan.keys) {
    if (path.one(record) === undefined) {
      throw new RecordProblem(place, 'it tells records apart, and there is none', record.value);
    }
  }
  const iri = plan.subject.expand(record, '') as string;
  record.run.subject = iri;
  if (plan.hasFields && (typeof record.value !== 'object' || Array.isArray(record.value))) {
    const place = { at: ['records'], path: '' };
    throw new RecordProblem(place, 'a record with fields was expected, and this has none', record.value);
  }
  const entity = plan.series?.expand(record, '') ?? iri;
  const observed = plan.kind === 'observation';
  const subject = namedNode(iri);
  const quads = typeQuads(subject, plan.typeNodes);
  const hash = new ContentHash(plan.typeNumber);
  const described: Described = { subject, quads, hash, counted: !observed };
  const { telling } = plan;
  let isTold = telling === undefined;
  for (const property of plan.properties) {
    const times = property.say(record, described);
    if (times === 0 && property.required) {
      throw new RecordProblem(property.place, 'a value is required, and there is none', record.value);
    }
    if (!isTold && times > 0) isTold = telling?.has(property) === true;
  }
  const versionTime = plan.versionTime && instantIn(plan.versionTime, record);
  if (!isTold && versionTime === undefined) {
    throw new RecordProblem({ at: ['properties'], path: '' }, 'it says nothing that any of them maps', record.value);
  }
  if (versionTime !== undefined) {
    if (plan.saysTime) quads.push(quad(subject, resultTime, literal(versionTime, xsd.dateTime)));
    if (!plan.versionTime?.ignored) hash.text(versionTime);
  }
  const fingerprint = observed ? iri : hash.digest();
  const draft: UpsertDraft = observed
    ? { kind: 'upsert', entity, origin, id: iri, quads, fingerprint }
    : { kind: 'upsert', entity, origin, quads, fingerprint };
  return versionTime === undefined ? draft : { ...draft, versionTime };
}
