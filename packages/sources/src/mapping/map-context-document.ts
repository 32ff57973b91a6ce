import type { MappedDocument, MappingInput } from './compiled-mapping.ts';
import type { ContextPlan } from './context-plan.ts';
import { DocumentTally } from './document-tally.ts';
import { mapContextRecord } from './map-context-record.ts';
import { type Scope, startRun } from './paths.ts';
import { unmappedPaths } from './unmapped-paths.ts';

/** Maps a document by a JSON-LD context, record by record. */
export async function mapContextDocument(plan: ContextPlan, input: MappingInput): Promise<MappedDocument> {
  const tally = new DocumentTally(plan);
  const run = startRun(input.document, input.topic ?? [], () => undefined);
  const records: Scope[] = [];
  plan.eachRecord(run.root, (record) => records.push(record));
  for (const record of records) {
    tally.begin(run, record);
    try {
      tally.take(await mapContextRecord(plan, record, input.origin));
    } catch (problem) {
      tally.leaveOut(run, problem);
    }
  }
  return tally.result(run, () =>
    unmappedPaths(plan.covered, (visit) => {
      for (const { value } of records) visit({ record: value, lookups: [] });
    }),
  );
}
