import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { createRtReader, type RtReaderOptions } from '../../src/gtfs/feed.ts';
import type { FeedMessage } from '../../src/gtfs/generated/gtfs-realtime.ts';
import { encodeFeed } from '../../src/gtfs/wire.ts';
import type { Candidate } from '../../src/source.ts';
import { publicUrl, streamUrl } from './turtle-tree.ts';

/** How many entities of a kind a replay created, changed and deleted. */
interface ReplayCounts {
  created: number;
  changed: number;
  deleted: number;
}

/** A replay: what the first poll held, what the others did, and what lives after the last. */
export interface Replay {
  readonly first: Readonly<Record<string, number>>;
  readonly later: Readonly<Record<string, ReplayCounts>>;
  readonly living: number;
  /** After each poll: whether the replayed state is what the poll says. */
  readonly rebuilt: readonly boolean[];
}

/** What a feed says, and the drafts of it all. */
export async function snapshot(feed: FeedMessage | Uint8Array, options: Partial<RtReaderOptions> = {}) {
  const read = createRtReader({ publicUrl, streamUrl, ...options });
  const said = await read(feed instanceof Uint8Array ? feed : encodeFeed(feed));
  const draftOf = (one: Candidate): UpsertDraft => ({ kind: 'upsert', origin: 'feed', ...one, quads: one.quads() });
  return { ...said, drafts: said.entities.map(draftOf) };
}

const kindOf = (entity: string) => entity.slice(entity.lastIndexOf('/') + 1);

/** Replays full datasets as deltas onto a latest state. */
export function replay(polls: readonly (readonly UpsertDraft[])[]): Replay {
  const latest = new Map<string, string>();
  const first: Record<string, number> = {};
  const later: Record<string, ReplayCounts> = {};
  const count = (entity: string, what: keyof ReplayCounts, index: number) => {
    const kind = kindOf(entity);
    if (index === 0) {
      first[kind] = (first[kind] ?? 0) + 1;
    } else {
      later[kind] ??= { created: 0, changed: 0, deleted: 0 };
      later[kind][what] += 1;
    }
  };
  const rebuilt = polls.map((drafts, index) => {
    const present = new Map(drafts.map((draft) => [draft.entity, draft.fingerprint]));
    for (const [entity, fingerprint] of present) {
      const before = latest.get(entity);
      if (before === fingerprint) continue;
      count(entity, before === undefined ? 'created' : 'changed', index);
      latest.set(entity, fingerprint);
    }
    for (const entity of [...latest.keys()]) {
      if (present.has(entity)) continue;
      count(entity, 'deleted', index);
      latest.delete(entity);
    }
    return latest.size === present.size && [...present].every(([entity, print]) => latest.get(entity) === print);
  });
  return { first, later, living: latest.size, rebuilt };
}
