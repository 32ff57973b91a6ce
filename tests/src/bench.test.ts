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
