import { as, ldes, type RetentionPolicy, rdf, tree } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import { type PageIndex, termKey } from './page-index.ts';
import { type PropertyPath, readPath } from './property-path.ts';
import { readRetention } from './tree-retention.ts';
import { ldesTerms } from './tree-terms.ts';

/** How to read the members of any LDES, as far as its publisher says. */
export interface TreeContext {
  /** IRI of the event stream. */
  readonly stream: string;
  /** To a member's publication time. */
  readonly timestampPath?: PropertyPath;
  /** To a member's place in the order, a number. */
  readonly sequencePath?: PropertyPath;
  /** To the entity that a member is a version of; without it each member is an entity. */
  readonly versionOfPath?: PropertyPath;
  /** To the source's own time of a member. */
  readonly versionTimestampPath?: PropertyPath;
  /** To the place of a member among the versions of its entity. */
  readonly versionSequencePath?: PropertyPath;
  /** To what tells that a member ends its entity; `rdf:type` unless the stream names another. */
  readonly versionDeletePath: PropertyPath;
  /** What it tells then; `as:Delete` unless the stream names another; `undefined`: anything but false. */
  readonly versionDeleteObject?: string;
  /** To the transaction that a member is a part of. */
  readonly transactionPath?: PropertyPath;
  /** To what tells that a member is the last of its transaction, and what it tells then. */
  readonly transactionFinalizedPath?: PropertyPath;
  readonly transactionFinalizedObject: string;
  /** How long to wait between looks, milliseconds, as the publisher wishes. */
  readonly pollingIntervalMs?: number;
  /** What the publisher promises to keep; everything where it is absent. */
  readonly retention?: RetentionPolicy;
}

/**
 * Reads the context of a stream from what its root says of the stream, of itself and of its view description.
 *
 * @param roots - IRIs by which the root may be named
 * @see specs/any-ldes.md READ-4, READ-5
 */
export function readTreeContext(index: PageIndex, stream: string, roots: readonly string[]): TreeContext {
  const subjects = new Set([stream, ...roots]);
  for (const root of roots) {
    for (const description of index.objects(root, tree.viewDescription)) subjects.add(termKey(description));
  }
  const objects = (property: string): Term[] => [...subjects].flatMap((subject) => index.objects(subject, property));
  const path = (property: string): PropertyPath | undefined => {
    for (const term of objects(property)) {
      const found = readPath(term, index);
      if (found) return found;
    }
    return undefined;
  };
  const deletePath = path(ldesTerms.versionDeletePath);
  const deleteObject = objects(ldes.versionDeleteObject)[0]?.value ?? (deletePath ? undefined : as.Delete);
  const seconds = Number(objects(ldes.pollingInterval)[0]?.value || Number.NaN);
  const retention = readRetention(objects(ldes.retentionPolicy), index);
  const optional = {
    timestampPath: path(ldes.timestampPath),
    sequencePath: path(ldes.sequencePath),
    versionOfPath: path(ldes.versionOfPath),
    versionTimestampPath: path(ldes.versionTimestampPath),
    versionSequencePath: path(ldesTerms.versionSequencePath),
    transactionPath: path(ldesTerms.transactionPath),
    transactionFinalizedPath: path(ldesTerms.transactionFinalizedPath),
    versionDeleteObject: deleteObject,
    pollingIntervalMs: seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : undefined,
    retention,
  };
  return {
    stream,
    versionDeletePath: deletePath ?? { kind: 'predicate', iri: rdf.type },
    transactionFinalizedObject: objects(ldesTerms.transactionFinalizedObject)[0]?.value ?? 'true',
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as Partial<TreeContext>),
  };
}
