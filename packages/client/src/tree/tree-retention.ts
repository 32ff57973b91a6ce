import { ldes, literal, type RetentionPolicy, rdf, tree, xsd } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import { orderSpan } from './order-value.ts';
import { type PageIndex, termKey } from './page-index.ts';
import { ldesTerms } from './tree-terms.ts';

/**
 * What a stream promises to keep, by the terms of LDES or the older ones, the parts of several policies together;
 * `undefined` where it promises to keep everything. A policy that says nothing keeps nothing for sure: `{}`.
 *
 * @param policies - the objects of `ldes:retentionPolicy`
 */
export function readRetention(policies: readonly Term[], index: PageIndex): RetentionPolicy | undefined {
  if (policies.length === 0) return undefined;
  return policies.reduce((parts, policy) => Object.assign(parts, readPolicy(termKey(policy), index)), {});
}

function readPolicy(policy: string, index: PageIndex): RetentionPolicy {
  const one = (property: string): Term | undefined => index.objects(policy, property)[0];
  const types = new Set(index.objects(policy, rdf.type).map(({ value }) => value));
  const isAgo = types.has(ldesTerms.DurationAgoPolicy);
  const startingFrom = one(ldes.startingFrom) ?? one(ldesTerms.pointInTime);
  const amount = one(ldes.versionAmount) ?? one(ldesTerms.amount);
  const parts: { [Key in keyof RetentionPolicy]: RetentionPolicy[Key] | undefined } = {
    startingFrom: orderSpan(startingFrom) && startingFrom?.value,
    fullLogMs: durationMs(one(ldes.fullLogDuration) ?? (isAgo ? one(tree.value) : undefined)),
    versionAmount: Number(amount?.value) >= 1 ? Number(amount?.value) : undefined,
    versionMs: durationMs(one(ldes.versionDuration)),
    versionDeleteMs: durationMs(one(ldes.versionDeleteDuration)),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

/**
 * The instant before which something may have been removed that no reader has seen, as far as a policy tells by time, epoch
 * milliseconds. Versions that newer ones replace may go at any moment: only the last of an entity is counted on then.
 *
 * @param lookMs - how often it is looked for what is new: what goes within that is the reader's own loss
 * @see specs/any-ldes.md READ-35
 */
export function keptFromMs(policy: RetentionPolicy, nowMs: number, lookMs: number): number {
  const { startingFrom = '', fullLogMs, versionAmount, versionMs, versionDeleteMs } = policy;
  const forEver = Number.POSITIVE_INFINITY;
  const versionsMs = versionAmount === undefined ? forEver : (versionMs ?? forEver);
  const keptMs = fullLogMs ?? Math.min(versionsMs, versionDeleteMs ?? forEver);
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
