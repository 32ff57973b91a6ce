import type { RetentionPolicy } from '@ldes-live/rdf-stream';

/** What a view of the latest state keeps: the newest version of what lives. */
export const LATEST_ONLY: RetentionPolicy = { versionAmount: 1, versionDeleteMs: 0 };
