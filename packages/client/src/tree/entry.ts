/*
 * The entry to any LDES: from the IRI of the stream, its root or an overview to the root node, with what the publisher
 * says of how members are to be read and how long they are kept.
 *
 * <s> tree:view <root> ; ldes:timestampPath dct:created -> { url: 'root', context: { stream: 's', timestampPath }, ... }
 */
import { as, ldes, literal, parsedUrl, type RetentionPolicy, rdf, termKey, tree, xsd } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { readDocument, type StreamDocument } from '../http/document.ts';
import type { HttpClient } from '../http/http-client.ts';
import { orderSpan } from './order.ts';
import { type FetchedPage, indexed, PageIndex } from './page.ts';
import { type PropertyPath, readPath } from './property-path.ts';

export interface TreeRoot {
  /** URL of the root node, as it was asked for. */
  readonly url: string;
  readonly context: TreeContext;
  readonly document: Required<FetchedPage>;
}

/**
 * Finds the root node of an LDES from the IRI of the stream, the root itself, what redirects to it, or an overview
 * with one `tree:view` (READ-1).
 */
export async function discoverTree(
  http: HttpClient,
  url: string,
  document: StreamDocument,
  signal: AbortSignal,
): Promise<TreeRoot> {
  const given = await indexed(document);
  const names = [given.head.url, url];
  const named = streamOf(given.index, names);
  if (named !== undefined) return { url, context: readTreeContext(given.index, named, names), document: given };
  const view = viewOf(given.index, url);
  const root = await indexed(await readDocument(http, view.url, { signal }));
  const roots = [root.head.url, view.url];
  const stream = streamOf(root.index, roots) ?? view.stream;
  // The stream may be described where it is named, and only there.
  const all = await PageIndex.of([...root.index.quads, ...given.index.quads], root.head.url);
  return { url: view.url, context: readTreeContext(all, stream, roots), document: root };
}

// The one stream that has the document as its view.
function streamOf(index: PageIndex, urls: readonly string[]): string | undefined {
  for (const url of urls.map((each) => each.split('#', 1)[0] as string)) {
    const stated = index.quads.filter(({ predicate, object }) => predicate.value === tree.view && object.value === url);
    const [stream, ...others] = new Set(stated.map(({ subject }) => subject.value));
    if (stream === undefined) continue;
    if (others.length > 0) throw errors.ERR_TREE_VIEW_AMBIGUOUS({ url, choices: [stream, ...others] });
    return stream;
  }
  return undefined;
}

function viewOf(index: PageIndex, url: string): { url: string; stream: string } {
  const stated = index.quads.filter(
    ({ predicate, object }) => predicate.value === tree.view && parsedUrl(object.value),
  );
  // What the document says of the very thing that was asked for comes first.
  const own = stated.filter(({ subject }) => subject.value === url);
  const views = new Map((own.length > 0 ? own : stated).map(({ subject, object }) => [object.value, subject.value]));
  if (views.size > 1) throw errors.ERR_TREE_VIEW_AMBIGUOUS({ url, choices: [...views.keys()] });
  const [view] = views;
  if (!view) throw errors.ERR_TREE_VIEW_MISSING({ url });
  return { url: view[0], stream: view[1] };
}

/** How to read the members of any LDES, as far as its publisher says. */
export type TreeContext = ReturnType<typeof readTreeContext>;

// What the root says of the stream, of itself (by any of its IRIs) and of its view description.
function readTreeContext(index: PageIndex, stream: string, roots: readonly string[]) {
  const descriptions = roots.flatMap((root) => index.objects(root, tree.viewDescription).map(termKey));
  const subjects = [...new Set([stream, ...roots, ...descriptions])];
  const objects = (property: string): Term[] => subjects.flatMap((subject) => index.objects(subject, property));
  const path = (property: string): PropertyPath | undefined => {
    const paths = objects(property).map((term) => readPath(term, index));
    return paths.find((found) => found !== undefined);
  };
  const deletePath = path(ldes.versionDeletePath);
  const seconds = Number(objects(ldes.pollingInterval)[0]?.value || Number.NaN);
  return {
    stream,
    timestampPath: path(ldes.timestampPath),
    sequencePath: path(ldes.sequencePath),
    // Without it each member is an entity.
    versionOfPath: path(ldes.versionOfPath),
    versionTimestampPath: path(ldes.versionTimestampPath),
    versionSequencePath: path(ldes.versionSequencePath),
    versionDeletePath: deletePath ?? ({ kind: 'predicate', iri: rdf.type } as const),
    // `undefined`: anything but false.
    versionDeleteObject: objects(ldes.versionDeleteObject)[0]?.value ?? (deletePath ? undefined : as.Delete),
    transactionFinalizedPath: path(ldes.transactionFinalizedPath),
    transactionFinalizedObject: objects(ldes.transactionFinalizedObject)[0]?.value ?? 'true',
    pollingIntervalMs: seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : undefined,
    retention: readRetention(objects(ldes.retentionPolicy), index),
  };
}

/**
 * What a stream promises to keep, the parts of several policies together; `undefined` where it promises to keep
 * everything. A policy that says nothing keeps nothing for sure: `{}`.
 */
export function readRetention(policies: readonly Term[], index: PageIndex): RetentionPolicy | undefined {
  if (policies.length === 0) return undefined;
  const parts: { -readonly [Key in keyof RetentionPolicy]: RetentionPolicy[Key] } = {};
  for (const policy of policies) {
    const one = (property: string): Term | undefined => index.objects(termKey(policy), property)[0];
    const startingFrom = one(ldes.startingFrom);
    if (startingFrom && orderSpan(startingFrom)) parts.startingFrom = startingFrom.value;
    const amount = Number(one(ldes.versionAmount)?.value);
    if (amount >= 1) parts.versionAmount = amount;
    for (const [name, property] of DURATIONS) {
      const ms = durationMs(one(property));
      if (ms !== undefined) parts[name] = ms;
    }
  }
  return parts;
}

const DURATIONS = [
  ['fullLogMs', ldes.fullLogDuration],
  ['versionMs', ldes.versionDuration],
  ['versionDeleteMs', ldes.versionDeleteDuration],
] as const;

/**
 * The instant before which something may have been removed that no reader has seen, as far as a policy tells by time,
 * epoch milliseconds. Versions that newer ones replace may go at any moment: only the last of an entity is counted on
 * then (READ-35).
 *
 * @param lookMs - how often it is looked for what is new: what goes within that is the reader's own loss
 */
export function keptFromMs(policy: RetentionPolicy, nowMs: number, lookMs: number): number {
  const forEver = Number.POSITIVE_INFINITY;
  const { startingFrom = '', fullLogMs, versionAmount, versionMs = forEver, versionDeleteMs = forEver } = policy;
  const keptMs = fullLogMs ?? Math.min(versionAmount === undefined ? forEver : versionMs, versionDeleteMs);
  const startMs = orderSpan(literal(startingFrom, xsd.dateTime))?.start ?? Number.NEGATIVE_INFINITY;
  return Math.max(startMs, nowMs - Math.max(keptMs, lookMs));
}

const DURATION = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
// Of years and months the shortest, so that a promise is not taken for a longer one than it is.
const UNIT_MS = [365 * 86_400_000, 28 * 86_400_000, 7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1_000];

function durationMs(term: Term | undefined): number | undefined {
  const match = DURATION.exec(term?.value ?? '');
  if (!match) return undefined;
  return UNIT_MS.reduce((sum, unitMs, unit) => sum + unitMs * Number(match[unit + 1] ?? 0), 0);
}
