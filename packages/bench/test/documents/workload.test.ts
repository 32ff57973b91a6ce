import { commitDrafts } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { QUADS_PER_MEMBER, vehicleCommit } from '../../src/documents/workload.ts';

const HEAD = { cursor: { epoch: 'e', sequence: 0 }, timeMs: 0 };

test('a member of the workload has ten quads', () => {
  const commit = commitDrafts(vehicleCommit('http://x.example/', 0, 250, 1000), HEAD, 1, 'http://x.example/sequence');
  for (const { quads } of commit.members) expect(quads).toHaveLength(QUADS_PER_MEMBER);
});

test('commits go round the fleet, and every state differs from the one before', () => {
  const drafts = [0, 250, 500, 750].flatMap((first) => vehicleCommit('http://x.example/', first, 250, 500));
  expect(new Set(drafts.map(({ entity }) => entity)).size).toBe(500);
  const says = (index: number) => JSON.stringify(drafts[index]);
  for (let index = 0; index < 500; index += 1) {
    expect(drafts[index + 500]?.entity).toBe(drafts[index]?.entity);
    expect(says(index + 500)).not.toBe(says(index));
  }
});
