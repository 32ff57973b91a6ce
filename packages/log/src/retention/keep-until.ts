import type { Member, RetentionPolicy } from '@ldes-live/rdf-stream';

/** Until when a policy keeps one version, epoch milliseconds; `-Infinity` for not at all, `Infinity` for ever. */
export interface KeepUntil {
  /** Whatever other versions there are. */
  readonly aloneMs: number;
  /** As long as it is one of the newest `versionAmount` of its entity, if that is longer. */
  readonly newestMs: number;
}

/**
 * Tells until when a policy keeps a member. Once it is no longer kept it never is again.
 *
 * @see specs/retention.md RET-1
 */
export function keepUntil(policy: RetentionPolicy, member: Pick<Member, 'time' | 'kind'>): KeepUntil {
  const { startingFrom, fullLogMs, versionAmount, versionMs = FOR_EVER, versionDeleteMs = FOR_EVER } = policy;
  const timeMs = Date.parse(member.time);
  if (startingFrom !== undefined && timeMs < Date.parse(startingFrom)) return { aloneMs: NEVER, newestMs: NEVER };
  const asDeleteMs = timeMs + (member.kind === 'delete' ? versionDeleteMs : FOR_EVER);
  if (fullLogMs === undefined && versionAmount === undefined) return { aloneMs: asDeleteMs, newestMs: NEVER };
  return {
    aloneMs: fullLogMs === undefined ? NEVER : timeMs + fullLogMs,
    newestMs: versionAmount === undefined ? NEVER : Math.min(timeMs + versionMs, asDeleteMs),
  };
}

const FOR_EVER = Number.POSITIVE_INFINITY;
const NEVER = Number.NEGATIVE_INFINITY;
