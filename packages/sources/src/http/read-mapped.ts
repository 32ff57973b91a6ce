import type { StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { FeedBody } from '../feed-body.ts';
import type { DocumentLimits } from '../formats/document-limits.ts';
import { readDocument } from '../formats/read-document.ts';
import type { CompiledMapping, MappedDocument } from '../mapping/compiled-mapping.ts';
import type { DocumentReading } from '../mapping/mapping.ts';
import { MOST_PROBLEMS } from '../mapping/record-error.ts';
import { type BodyReading, candidateOf, type Snapshot } from '../source.ts';
import { createUnmappedWatch } from '../unmapped-watch.ts';

/** A document is looked at for fields that are not mapped once in this time, milliseconds. */
const LOOK_UNMAPPED_MS = 600_000;

/** What bodies are read by. */
export interface MappedReading {
  readonly mapping: CompiledMapping;
  readonly origin: string;
  readonly limits: Partial<DocumentLimits>;
}

/**
 * Makes the reader of a feed of documents that a mapping maps: page by page, beside the lookups.
 *
 * It throws those of `readDocument` and of the mapping, and `ERR_RECORDS_UNREADABLE` where there are records, and none
 * of them can be mapped: that is a mistake of the mapping or of the source, and no sign that all has ended.
 *
 * @see specs/sources.md SRC-2, SRC-4, SRC-27
 */
export function mappedReader({
  mapping,
  origin,
  limits,
}: MappedReading): (body: FeedBody, reading: Pick<BodyReading, 'nowMs'>) => Promise<Snapshot> {
  const lookupDocument = keptDocuments(limits);
  const watch = createUnmappedWatch({ looks: 1, everyMs: LOOK_UNMAPPED_MS });
  let unmapped = 0;
  return async ({ pages, lookups }, { nowMs }) => {
    const beside = Object.fromEntries(
      Object.entries(lookups).map(([name, bytes]) => [name, lookupDocument(bytes, mapping.lookups[name]?.reads ?? {})]),
    );
    const mapped: MappedDocument[] = [];
    for (const page of pages) {
      mapped.push(
        await mapping.map({ document: readDocument(page, mapping.reading, limits), lookups: beside, origin }),
      );
    }
    const snapshot = snapshotOf(mapped, mapping.kind);
    if (watch.mayLook(nowMs)) {
      const paths = new Set(mapped.flatMap((page) => page.unmapped));
      unmapped = paths.size;
      watch.note([...paths]);
    }
    const notice = watch.tell(nowMs);
    return {
      ...snapshot,
      // What was seen last holds until the next look.
      findings: unmapped === 0 ? snapshot.findings : { ...snapshot.findings, unmapped },
      problems: notice ? [notice, ...snapshot.problems] : snapshot.problems,
    };
  };
}

// A lookup changes seldom: as long as its bytes are held, what was read of them is.
function keptDocuments(limits: Partial<DocumentLimits>): (bytes: Uint8Array, reading: DocumentReading) => unknown {
  const documents = new WeakMap<Uint8Array, unknown>();
  return (bytes, reading) => {
    if (!documents.has(bytes)) documents.set(bytes, readDocument(bytes, reading, limits));
    return documents.get(bytes);
  };
}

function snapshotOf(pages: readonly MappedDocument[], kind: CompiledMapping['kind']) {
  const drafts = pages.flatMap((page) => page.drafts);
  const problems = pages.flatMap((page) => page.problems).slice(0, MOST_PROBLEMS);
  const records = pages.reduce((sum, page) => sum + page.records, 0);
  if (records > 0 && drafts.length === 0) throw noneReadable(records, problems);
  const [first] = pages;
  return {
    entities: drafts.map(candidateOf),
    deleted: [],
    unreadable: pages.flatMap((page) => page.unreadableEntities),
    unnamedRecords: pages.reduce((sum, page) => sum + (page.unnamedRecords ?? 0), 0),
    // An observation does not end by being absent.
    differential: kind === 'observation',
    findings: summed(pages.map((page) => page.findings)),
    problems,
    headerMs: first?.documentTimeMs,
    ttlMs: first?.documentTtlMs,
  };
}

function noneReadable(records: number, problems: readonly StreamError[]): StreamError {
  const [problem] = problems;
  return errors.ERR_RECORDS_UNREADABLE({ records, first: problem?.message ?? 'it has no key.' }, problem);
}

function summed(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}
