import { createMemoryStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { aroundStamps, stamp } from '../../src/load/stamp.ts';
import { startLivePeer } from '../../src/subjects/live-peer.ts';
import { PUBLIC_URL, sizeCommits, stampedCommit } from '../../src/subjects/sized-commits.ts';

test.each([5200, 20_800])('the event of a commit has the size that was asked for: %d bytes', async (eventBytes) => {
  const peer = await startLivePeer({ workload: 'sized', eventBytes });
  const sample = peer.sample ?? '';
  await peer.close();
  expect(Math.abs(Buffer.byteLength(sample) / eventBytes - 1)).toBeLessThan(0.02);
  // Every member says when it was published.
  expect(aroundStamps(sample)).toHaveLength((peer.commits?.entities ?? 0) + 1);
});

test('a commit has each of its entities once, all of them stamped alike', async () => {
  const drafts = stampedCommit(PUBLIC_URL, 5, 77, 10);
  expect(new Set(drafts.map(({ entity }) => entity)).size).toBe(5);
  for (const draft of drafts) {
    const values = draft.kind === 'upsert' ? draft.quads.map(({ object }) => object.value) : [];
    expect(values).toContain(stamp(77));
  }
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(
    describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' }),
  );
  expect((await log.append(drafts)).members).toHaveLength(5);
});

test('the number of entities and the remark follow from what two and three of them take', async () => {
  const measure = async ({ entities, noteBytes }: { entities: number; noteBytes: number }) =>
    300 + entities * 250 + noteBytes - 1;
  const size = await sizeCommits(5200, measure);
  expect(await measure(size)).toBe(5200);
  expect(size.entities).toBe(19);
});
