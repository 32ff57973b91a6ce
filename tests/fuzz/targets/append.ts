import { type Draft, isStreamError, type UpsertDraft } from '@ldes-live/rdf-stream';
import type { Snapshot } from '@ldes-live/sources';
import type { Published } from '../published.ts';
import { Violation } from '../target.ts';

/** Appends what a source has read. Where the log refuses it, the source should have: its stream would stand still. */
export async function appendSnapshot(published: Published, entities: Snapshot['entities']): Promise<void> {
  const versions = entities.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const held = await published.log.latest.hasVersions(versions);
  const drafts = entities
    .filter(({ id }) => id === undefined || !held.has(id))
    .map((candidate): UpsertDraft => {
      const { entity, id, fingerprint, versionTime } = candidate;
      return { kind: 'upsert', entity, id, fingerprint, versionTime, origin: 'feed', quads: candidate.quads() };
    });
  await appendDrafts(published, drafts);
}

/** Appends drafts of a source, one of each entity at a time. */
export async function appendDrafts(published: Published, drafts: readonly Draft[]): Promise<void> {
  let batch = new Map<string, Draft>();
  const flush = async () => {
    await published.append([...batch.values()]).catch((cause) => {
      const what = isStreamError(cause) ? `${cause.code}: ${cause.message}` : String(cause);
      throw new Violation(`The log refuses what the source made: ${what}`, { cause });
    });
    batch = new Map();
  };
  for (const draft of drafts) {
    if (batch.has(draft.entity)) await flush();
    batch.set(draft.entity, draft);
  }
  await flush();
}
