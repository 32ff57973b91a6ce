import type { MappedDocument, MappingInput } from './compiled-mapping.ts';
import { DocumentTally } from './document-tally.ts';
import { mapRecord } from './map-record.ts';
import { type MappingRun, RecordProblem, type Scope, startRun } from './paths.ts';
import type { RecordPlan } from './record-plan.ts';
import { type MappedRecord, unmappedPaths } from './unmapped-paths.ts';

/**
 * Maps a document by a compiled mapping. Pure.
 *
 * @throws {@link StreamError} `ERR_MAPPING_RECORDS` - it has nothing where its records should be
 * @see specs/mappings.md MAP-6
 */
export function mapDocument(plan: RecordPlan, input: MappingInput): MappedDocument {
  const tally = new DocumentTally(plan);
  const run = startRun(input.document, input.topic ?? [], lookupsOf(plan, input.lookups ?? {}, tally));
  plan.eachRecord(run.root, (record) => {
    tally.begin(run, record);
    try {
      tally.take(mapRecord(plan, record, input.origin));
    } catch (problem) {
      tally.leaveOut(run, problem);
    }
  });
  return tally.result(run, () => unmappedPaths(plan.covered, (visit) => eachMapped(plan, run, visit)));
}

function eachMapped(plan: RecordPlan, run: MappingRun, visit: (mapped: MappedRecord) => void): void {
  plan.eachRecord(run.root, (record) => {
    run.record = record;
    const lookups = plan.lookups.flatMap((name) => {
      const found = lookedUp(run, name);
      return found === undefined ? [] : [[name, found] as const];
    });
    visit({ record: record.value, lookups });
  });
}

function lookedUp(run: MappingRun, name: string): unknown {
  try {
    return run.lookup(name)?.value;
  } catch (problem) {
    // The record is told of where it is mapped.
    if (problem instanceof RecordProblem) return undefined;
    throw problem;
  }
}

function lookupsOf(plan: RecordPlan, documents: Readonly<Record<string, unknown>>, tally: DocumentTally) {
  const missed = new Map<string, Scope>();
  return (name: string, run: MappingRun): Scope | undefined => {
    const found = plan.findInLookup(name, run, documents[name]);
    // Many properties may ask for the same record.
    if (!found && missed.get(name) !== run.record) {
      missed.set(name, run.record);
      tally.count(`lookup-without-record:${name}`);
    }
    return found;
  };
}
