import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/bench.mjs', import.meta.url));

test('the experiment on documents runs to its end, and its report has every figure with its spread', async () => {
  const out = await mkdtemp(join(tmpdir(), 'bench-'));
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, 'documents', '--quick', '--out', out]);
  const report = JSON.parse(await readFile(join(out, 'documents.json'), 'utf8'));
  await rm(out, { recursive: true });
  expect(report.serving.map(({ name }: { name: string }) => name)).toEqual([
    'latest',
    'latest, gzip',
    'latest, 304',
    'latest, gzip, 304',
    'sealed page',
    'sealed page, gzip',
  ]);
  for (const { name, ratio, cpuRatio, live, bare } of report.serving) {
    for (const { median, min, max, repeats } of [ratio, cpuRatio, live, bare]) {
      expect(repeats).toBe(report.plan.rounds);
      expect(0 < min && min <= median && median <= max).toBe(true);
    }
    expect(stdout).toContain(name);
  }
  expect(report.appending.tenths.map(({ members }: { members: number }) => members)).toEqual(
    Array.from({ length: 10 }, (_, tenth) => ((tenth + 1) * report.plan.members) / 10),
  );
  expect(report.machine.node).toBe(process.version);
});

test('the experiment on push runs to its end, loses nothing, and its report has every figure', async () => {
  const out = await mkdtemp(join(tmpdir(), 'bench-'));
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, 'fanout', '--quick', '--out', out]);
  const { results, plan, machine } = JSON.parse(await readFile(join(out, 'fanout.json'), 'utf8'));
  await rm(out, { recursive: true });
  const { fanout, workers, gzip, slow, storm, entities, stop } = results;
  const nothing = { lost: 0, duplicates: 0, gaps: 0, conflations: 0, wrongStates: 0 };

  expect(Math.abs(fanout.eventBytes / plan.fanout.eventBytes - 1)).toBeLessThan(0.02);
  // What is not on a machine is said.
  const names = [...fanout.peers.map(({ name }: { name: string }) => name), ...fanout.missing];
  expect(names.sort()).toEqual(['@fastify/sse', 'Express loop', 'Nchan', 'epoll loop in C', 'ldes-live'].sort());
  for (const { name, runs, serverCpuMicros } of [...fanout.peers, ...workers.peers]) {
    expect(stdout).toContain(name);
    expect(serverCpuMicros.median).toBeGreaterThan(0);
    for (const { events, expected, p50Ms, p99Ms, longestMs } of runs) {
      expect(events, name).toBe(expected);
      expect(0 < p50Ms && p50Ms <= p99Ms && p99Ms <= longestMs).toBe(true);
    }
  }
  expect(fanout.ratios).toHaveLength(fanout.peers.length - 1);

  for (const { read, expectedRead } of gzip.encodings) expect(read).toBe(expectedRead);
  expect(gzip.bytesRatio).toBeGreaterThan(10);

  for (const { clients, atHead, sequence } of slow.back) {
    expect(atHead).toBe(clients);
    // What stands for commits is said, and is right.
    expect({ ...sequence, conflations: 0 }).toEqual(nothing);
  }

  expect(storm).toMatchObject({ atHead: plan.storm.clients, refused: 0, sequence: nothing });
  expect(storm.pollsAfter.polls).toBeGreaterThan(0);
  expect(storm.pollsAfter.failed).toBe(0);

  expect(entities.map(({ clients }: { clients: number }) => clients)).toEqual(plan.entities.clients);
  for (const { updates, delivered } of entities) expect(delivered).toBe(updates);

  expect(stop).toMatchObject({ ended: plan.stop.clients, atHead: plan.stop.clients, sequence: nothing });
  expect(machine.node).toBe(process.version);
}, 240_000);
