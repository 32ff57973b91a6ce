import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/bench.mjs', import.meta.url));

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/ldes-live.js', import.meta.url));

test('the command runs benchmarks, and its help names every experiment that there is', async () => {
  const ldesLive = (...args: readonly string[]) => promisify(execFile)(process.execPath, [COMMAND, ...args]);
  const refused = await ldesLive('bench', 'nothing').catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 2 });
  const { stderr } = refused as { readonly stderr: string };
  const [, names = ''] = /^"nothing" is no experiment: give one of (.*), or all\./.exec(stderr) ?? [];
  const experiments = names.split(', ');
  expect(experiments).toEqual(expect.arrayContaining(['e1', 'e2', 'e3', 'e4', 'capacity', 'fanout', 'client']));
  const { stdout } = await ldesLive('bench', '--help');
  for (const name of experiments) expect(stdout).toMatch(new RegExp(`^  (client, )?${name}\\b`, 'm'));
}, 60_000);

/** Runs an experiment as people do, quickly; what it wrote and printed. */
async function run(experiment: string, ...args: readonly string[]) {
  const out = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const all = [SCRIPT, experiment, ...args, '--quick', '--out', out];
    const { stdout } = await promisify(execFile)(process.execPath, all);
    return { report: JSON.parse(await readFile(join(out, `${experiment}.json`), 'utf8')), stdout };
  } finally {
    await rm(out, { recursive: true });
  }
}

test('the experiment on documents runs to its end, and its report has every figure with its spread', async () => {
  const { report, stdout } = await run('documents');
  const { plan, results } = report.data;
  expect(results.serving.map(({ name }: { name: string }) => name)).toEqual([
    'latest',
    'latest, gzip',
    'latest, 304',
    'latest, gzip, 304',
    'sealed page',
    'sealed page, gzip',
  ]);
  for (const { name, ratio, cpuRatio, live, bare } of results.serving) {
    for (const { median, min, max, repeats } of [ratio, cpuRatio, live, bare]) {
      expect(repeats).toBe(plan.serving.rounds);
      expect(0 < min && min <= median && median <= max).toBe(true);
    }
    expect(stdout).toContain(name);
    expect(report.ratios).toMatchObject({ [`requests/s of ldes-live / bare Fastify, ${name}`]: ratio });
  }
  expect(results.appending.tenths.map(({ members }: { members: number }) => members)).toEqual(
    Array.from({ length: 10 }, (_, tenth) => ((tenth + 1) * plan.appending.members) / 10),
  );
  expect(report).toMatchObject({ experiment: 'documents', isQuick: true, seed: 1, repeats: plan.serving.rounds });
  expect(report.machine.node).toBe(process.version);
}, 240_000);

test('the experiment on push runs to its end, loses nothing, and its report has every figure', async () => {
  const { report, stdout } = await run('fanout');
  const { plan, results } = report.data;
  const { workers, gzip, slow, storm, entities, stop } = results;
  const [fanout, ...others] = results.fanout;
  expect(others).toEqual([]);
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
    expect(
      Object.keys(report.histograms).some((key) => key.startsWith(`delay of ${name},`)),
      name,
    ).toBe(true);
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
  expect(report.machine.node).toBe(process.version);
}, 240_000);

test('the experiment on clients runs to its end, nothing is lost, and its report has every figure', async () => {
  const { report } = await run('client');
  const { plan, results } = report.data;
  const { promise, stampede, slow, mal } = results;

  expect(promise.rounds.map((round: { breakEvenSeconds: number }) => round.breakEvenSeconds)).toEqual(
    plan.promise.breakEvenSeconds,
  );
  for (const { groups } of promise.rounds) {
    // What is not on a machine is said.
    expect(groups).toHaveLength((3 - promise.missing.length) * plan.promise.streams.length);
    for (const group of groups) {
      expect(group.delivered, group.group).toBeGreaterThan(0);
      expect(group, group.group).toMatchObject({ lost: 0, doubled: 0, gaps: 0, problems: [] });
    }
  }

  expect(stampede.runs).toHaveLength(plan.stampede.repeats);
  for (const { requests, delivered, misses, pushes, ratio } of stampede.runs) {
    expect(requests).toBeGreaterThan(0);
    expect(delivered).toBeGreaterThan(0);
    expect(ratio).toBeGreaterThan(1);
    // Its clock is virtual: however busy the machine is, nobody is late.
    expect({ misses, pushes }).toEqual({ misses: 0, pushes: 0 });
  }

  expect(slow.runs.map(({ versions: asked }: { versions: string }) => asked)).toEqual(['newest', 'all']);
  for (const { whole, statusConflated, gaps, published, versions: asked } of slow.runs) {
    expect(whole.disordered, asked).toBe(0);
    expect(whole.delivered + statusConflated, asked).toBe(published);
    expect(gaps).toBe(0);
  }
  expect(slow.runs[1].statusConflated).toBe(0);

  expect(mal.rows.map(({ malSeconds }: { malSeconds: number }) => malSeconds)).toEqual(plan.mal.malSeconds);
  for (const { delivered, p50Ms, p99Ms, wireBytes } of mal.rows) {
    expect(delivered).toBeGreaterThan(0);
    expect(0 < p50Ms && p50Ms <= p99Ms).toBe(true);
    expect(wireBytes).toBeGreaterThan(0);
  }
  expect(report.machine.node).toBe(process.version);
}, 240_000);

test('the experiment on histories runs to its end, and every reader has every member once', async () => {
  const { report, stdout } = await run('replay');
  const { cases } = report.data.results.replay;
  expect(cases.map(({ readers }: { readers: unknown[] }) => readers.length)).toEqual([2, 2, 2, 2, 1]);
  for (const { name, members, isOrdered, readers } of cases) {
    expect(stdout).toContain(name);
    for (const { runs } of readers) {
      for (const run of runs) {
        expect(run, name).toMatchObject({ members, doubled: 0, isWhole: true, isEnded: true });
        if (isOrdered) expect(run.disordered, name).toBe(0);
      }
    }
  }
  expect(Object.keys(report.ratios)).toHaveLength(4);
  expect(report.versions['ldes-client']).toBe('0.3.0');
}, 240_000);

test('the experiment on sources maps as much as the other way does, and loses nothing of what is posted', async () => {
  const { report, stdout } = await run('sources', '--only', 'mapping', '--only', 'ingest');
  const { plan, results } = report.data;
  const { mapping, ingest } = results;
  // Both ways have to come to as many quads, else it ends with an error.
  expect(mapping.quads).toBe(plan.mapping.stations * 5);
  for (const { median, min, max, repeats } of [mapping.mapping, mapping.toRdf, mapping.ratio]) {
    expect(repeats).toBe(plan.mapping.repeats);
    expect(0 < min && min <= median && median <= max).toBe(true);
  }
  const { members, entities } = plan.ingest;
  expect(ingest).toMatchObject({ status: 201, stored: members, members, entities });
  expect(0 < ingest.ownBytes && ingest.ownBytes <= ingest.residentBytes).toBe(true);
  expect(stdout).toContain(`201, ${members} stored`);
});

test('the experiment on queries finds the same answers either way, and none that claims more than it has', async () => {
  const { report, stdout } = await run('query');
  const { plan, results } = report.data;
  const { evaluation, stalls } = results;
  const engines = ['comunica', 'oxigraph'];

  expect(evaluation.rows.map(({ quads, engine }: { quads: number; engine: string }) => `${quads} ${engine}`)).toEqual(
    plan.evaluation.quads.flatMap((quads: number) => engines.map((engine) => `${quads} ${engine}`)),
  );
  for (const { local, whole } of evaluation.rows) {
    // Answers that differ end it with an error.
    expect(local.solutions).toBeGreaterThan(0);
    for (const { median, min, max, repeats } of [local.told, local.again, local.ratio, whole.evaluation]) {
      expect(repeats).toBe(plan.evaluation.commits);
      expect(0 < min && min <= median && median <= max).toBe(true);
    }
    expect(whole.residentBytes).toBeGreaterThan(0);
  }

  expect(stalls.runs.map(({ engine }: { engine: string }) => engine)).toEqual(engines);
  for (const run of stalls.runs) {
    expect(run).toMatchObject({ overclaims: 0, torn: 0, commits: plan.stalls.durationMs / plan.stalls.intervalMs });
    expect(run.evaluations).toBe(run.answers);
    expect(Math.min(run.stallMs, run.startStallMs, run.idleStallMs)).toBeGreaterThan(0);
  }
  for (const engine of engines) expect(stdout).toContain(engine);
  expect(report.versions.oxigraph).toMatch(/^\d/);
}, 240_000);
