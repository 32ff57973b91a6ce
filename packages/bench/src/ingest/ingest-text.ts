import { mebibytes } from '../mebibytes.ts';
import type { IngestSize } from './ingest-size.ts';
import type { IngestResult } from './measure-ingest.ts';

/** What one request of very many members costs, for a terminal. */
export function ingestText(result: IngestResult, { members, entities }: IngestSize): string[] {
  const { status, stored, durationMs, bodyBytes, ownBytes, residentBytes, cpuMicros } = result;
  return [
    '',
    `One request of ${members} members as N-Quads, versions of ${entities} entities, to a log on disk:`,
    `  answer               ${status}, ${stored} stored, ${result.members} in the log`,
    `  body                 ${mebibytes(bodyBytes)} in ${(durationMs / 1000).toFixed(1)} s`,
    `  members a second     ${Math.round(stored / (durationMs / 1000))}`,
    `  server CPU           ${(cpuMicros / members).toFixed(0)} µs a member`,
    `  memory of its own    ${mebibytes(ownBytes)} at most`,
    `  resident             ${mebibytes(residentBytes)} at most, with what the system holds of the mapped log`,
  ];
}
