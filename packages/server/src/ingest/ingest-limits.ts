import { checkLimits } from '../check-limits.ts';
import type { IngestLimits } from './ingest-options.ts';

const MIB = 1024 * 1024;

const DEFAULTS: IngestLimits = {
  limitBodyBytes: 4096 * MIB,
  limitBodyMembers: 5_000_000,
  limitDocumentBytes: 16 * MIB,
  limitMemberCharacters: MIB,
  limitMemberQuads: 10_000,
  limitDepth: 64,
  limitContextTerms: 5000,
  limitContextWork: 50_000,
  limitPosts: 8,
  limitWaitingPosts: 1000,
  limitBatchMembers: 500,
  limitBatchCharacters: 4 * MIB,
  limitSilenceMs: 30_000,
  limitPostMs: 3_600_000,
  limitKeys: 10_000,
  limitKeyAgeMs: 86_400_000,
};

/** Characters of an IRI: prefixes would else make much of little. */
export const LIMIT_IRI_CHARACTERS = 4096;

/**
 * The limits on posts, those that are left out at their defaults.
 *
 * @throws {@link StreamError} `ERR_LIMIT` - one of them is not an integer of 1 or more
 * @see specs/ingest.md ING-40
 */
export function ingestLimits(given: Partial<IngestLimits> = {}): IngestLimits {
  checkLimits({ ...given });
  return { ...DEFAULTS, ...given };
}
