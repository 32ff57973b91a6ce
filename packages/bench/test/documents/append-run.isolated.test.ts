import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendRun } from '../../src/documents/append-run.ts';

test('every tenth is told, with how soon each of its pages was read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'append-run-'));
  const tenths = [];
  for await (const tenth of appendRun({ folder, members: 5000, fleet: 100 * 5 }, () => ({
    ownBytes: 1,
    residentBytes: 2,
  }))) {
    tenths.push(tenth);
  }
  await rm(folder, { recursive: true });
  expect(tenths.map(({ members }) => members)).toEqual([500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000]);
  for (const { sealedVisibleMs, ownBytes, residentBytes } of tenths) {
    expect(sealedVisibleMs).toHaveLength(2);
    expect([ownBytes, residentBytes]).toEqual([1, 2]);
  }
  expect(tenths.flatMap(({ latestVisibleMs }) => latestVisibleMs)).toHaveLength(1);
});
