import { literal, namedNode, quad, sosa, type UpsertDraft, xsd } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { typeQuads } from './compile-node.ts';
import { termText, textHash } from './content-hash.ts';
import type { ContextPlan } from './context-plan.ts';
import { contextPlace, contextQuads } from './context-quads.ts';
import { RecordProblem, type Scope } from './paths.ts';
import { quadsText } from './quads-text.ts';
import { instantIn } from './version-time.ts';
import { withoutPaths } from './without-paths.ts';

const resultTime = namedNode(sosa.resultTime);

/**
 * Maps one record by a JSON-LD context.
 *
 * @throws RecordProblem - it cannot be mapped
 */
export async function mapContextRecord(plan: ContextPlan, record: Scope, origin: string): Promise<UpsertDraft> {
  const named = plan.subject?.expand(record, '');
  record.run.subject = named ?? '';
  const { iri, quads } = await contextQuads(plan, record.value, named);
  record.run.subject = iri;
  const entity = plan.series?.expand(record, '') ?? iri;
  const subject = namedNode(iri);
  const besides: Quad[] = typeQuads(subject, plan.typeNodes);
  const versionTime = plan.versionTime && instantIn(plan.versionTime, record);
  if (versionTime !== undefined && plan.saysTime) {
    besides.push(quad(subject, resultTime, literal(versionTime, xsd.dateTime)));
  }
  // Quads of a parser need not have methods.
  const isSaid = (one: Quad) =>
    quads.some(
      ({ subject: { value }, predicate, object }) => value === iri && sameProperty(one, { predicate, object }),
    );
  const said = [...quads, ...besides.filter((one) => !isSaid(one))];
  const isTold = quads.length > 0 || versionTime !== undefined || plan.subjectTells;
  if (!isTold || said.length === 0) {
    throw new RecordProblem(contextPlace, 'the context makes nothing of the record', record.value);
  }
  const draft: UpsertDraft =
    plan.kind === 'observation'
      ? { kind: 'upsert', entity, origin, id: iri, quads: said, fingerprint: iri }
      : { kind: 'upsert', entity, origin, quads: said, fingerprint: await fingerprintOf(plan, record, said, iri) };
  return versionTime === undefined ? draft : { ...draft, versionTime };
}

function sameProperty(one: Quad, other: Pick<Quad, 'predicate' | 'object'>): boolean {
  return one.predicate.value === other.predicate.value && termText(one.object) === termText(other.object);
}

async function fingerprintOf(plan: ContextPlan, record: Scope, said: readonly Quad[], iri: string): Promise<string> {
  if (plan.ignored.length === 0) return textHash(quadsText(said));
  const kept = withoutPaths(record.value, plan.ignored);
  const { quads } = await contextQuads(plan, kept, iri);
  return textHash(quadsText([...quads, ...typeQuads(namedNode(iri), plan.typeNodes)]));
}
