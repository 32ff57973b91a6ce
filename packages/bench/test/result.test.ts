/* Results as files, two of them compared, and the command that writes them. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import type { Asked } from '../src/experiment.ts';
import { bench } from '../src/program.ts';
import { keepResults } from '../src/report/pages.ts';
import { compareResults, keepEarlier, openFolder, readResults, UnusableFolder, writeResult } from '../src/result.ts';
import { ODD_EXPERIMENT, ODD_RESULT, sampleExperiment, sampleResult } from './samples.ts';

test('a result that was written is read as it was', async () => {
  const folder = await temporaryFolder();
  const result = sampleResult({
    cells: [10, 20].map((ms, repeat) => ({ ...sampleResult().cells[0]!, repeat, values: { p99Ms: ms } })),
  });
  await writeResult(folder, result);
  expect(await readResults(folder)).toEqual([result]);
  expect(await readResults(join(folder, 'e9.json'))).toEqual([result]);
  await writeResult(folder, sampleResult({ cells: [] }));
  expect(await readResults(folder)).toEqual([sampleResult({ cells: [] })]);
});

test('an earlier result is kept by the time that it began, and no longer read', async () => {
  const folder = await temporaryFolder();
  expect(await keepEarlier(folder, 'e9')).toBeUndefined();
  await writeResult(folder, sampleResult());
  await writeFile(join(folder, 'other.json'), '{"experiment": "other", "sections": []}');
  expect(await keepEarlier(folder, 'e9')).toBe(join(folder, 'e9.2026-11-22T01-00-00Z.json'));
  await expect(readResults(folder)).rejects.toThrow(UnusableFolder);
  await expect(readResults(join(folder, 'nowhere'))).rejects.toThrow('cannot be read');
  await openFolder(join(folder, 'deep', 'er'));
  // Where nothing can be made, Node.js would try to make it forever.
  for (const at of [join(folder, 'other.json', 'in'), '/proc/none', '/proc/none/in']) {
    await expect(openFolder(at)).rejects.toThrow('Nothing can be written');
  }
});

test('two runs are compared by their ratios, what moved most first', () => {
  const run = (small: number, large: number) => {
    const cells = [
      [100, small],
      [1000, large],
    ].flatMap(([clients = 0, cpuMicros = 0]) => [
      { measurement: 'sse', subject: 'ldes-live', at: { clients }, repeat: 0, values: { cpuMicros } },
      { measurement: 'sse', subject: 'Express', at: { clients }, repeat: 0, values: { cpuMicros: 10 } },
    ]);
    return sampleResult({ cells });
  };
  const ratio = { of: { subject: 'ldes-live' }, value: 'cpuMicros', over: { subject: 'Express' } };
  const compared = compareResults(run(2, 4), run(2.2, 1), [ratio]);
  expect(compared.map(({ name, change }) => [name, change])).toEqual([
    ['cpuMicros ÷ Express, sse, ldes-live, clients 1000', expect.closeTo(0.25)],
    ['cpuMicros ÷ Express, sse, ldes-live, clients 100', expect.closeTo(1.1)],
  ]);
  expect(compareResults(run(2, 4), sampleResult({ cells: [] }), [ratio])).toEqual([]);
});

let asked: Asked | undefined;
const plan = (one: Asked) => {
  asked = one;
  return {};
};
const ratios = [{ of: {}, value: 'cpuMicros' }];
const ALL = [
  sampleExperiment({
    name: 'first',
    title: 'Title of first',
    plan,
    options: ['clients', 'repeat', 'duration', 'mal'],
    ratios,
  }),
  sampleExperiment({ name: 'fails', measure: () => Promise.reject(new Error('the wire is cut')) }),
  sampleExperiment({ name: 'client', refusal: ({ repeats = 1 }) => (repeats > 9 ? 'Too many.' : undefined) }),
];

async function outcomeOf(line: string) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await bench(line.split(' ').filter(Boolean), { stdout, stderr }, ALL);
  return { code, stdout: stdout.read()?.toString() ?? '', stderr: stderr.read()?.toString() ?? '' };
}

test('of all, one that fails is named, and loses no result of the others', async () => {
  const out = await temporaryFolder();
  const { code, stdout, stderr } = await outcomeOf(`all --out ${out}`);
  expect(code).toBe(1);
  expect(stdout).toContain('Title of first');
  // `all` leaves it out.
  expect(stderr).not.toContain('client');
  expect(stderr).toMatch(/Failed: fails\.\n$/);
  expect(stderr).toContain('[0 %, about 5 s left] first: begins\n');
  expect((await readdir(out)).sort()).toEqual(['fails.json', 'first.json', 'report.html']);
  await outcomeOf(`first --out ${out}`);
  expect(await readdir(out)).toHaveLength(4);
  const compared = await outcomeOf(`compare ${out} ${join(out, 'first.json')}`);
  expect(compared).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('| cpuMicros, a, ldes-live | 1 | 1 | 1 |'),
  });
});

test.each([
  ['first', {}],
  ['--quick first --only b --only a', { quick: true, only: ['b', 'a'] }],
  [
    'first --clients 100,2000,100 --duration 1.5 --repeat 5 --mal .5,60 --seed 0',
    { seed: 0, clients: [100, 2000], durationSeconds: 1.5, repeats: 5, malSeconds: [0.5, 60] },
  ],
])('"%s" asks for %j', async (line, expected) => {
  expect((await outcomeOf(line)).code).toBe(0);
  expect(asked).toEqual({ quick: false, only: [], seed: 1, ...expected });
});

test.each([
  ['', 'Give an experiment: first, fails, client, or all.'],
  ['three', 'Unknown experiment "three": give one of first, fails, client, or all.'],
  ['first --fast', "unknown option '--fast'"],
  ['first --out=', 'Give a folder.'],
  ['client --repeat 10', 'Too many.'],
  ['first --only c', '--only is "c": first has the measurements a, b.'],
  ['all --only a', '--only needs one experiment'],
  ['fails --clients 10', 'fails has no option --clients.'],
  ['first --clients 10,', 'Give a whole number from 1 to 100000.'],
  ['first --duration 0', 'Give seconds, above 0 and up to 86400.'],
  ['first --mal 1,-2', 'Give seconds'],
  ['first --seed 4294967296', 'Give a whole number from 0 to 4294967295.'],
  ['keep nowhere', '"nowhere" cannot be read'],
])('"%s" is refused with 2: %s', async (line, message) => {
  const { code, stdout, stderr } = await outcomeOf(line);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});

test('quick runs are not kept as figures', async () => {
  const out = await temporaryFolder();
  await outcomeOf(`first --quick --out ${out}`);
  expect(JSON.parse(await readFile(join(out, 'first.json'), 'utf8')).quick).toBe(true);
  const { code, stderr } = await outcomeOf(`keep ${out}`);
  expect([code, stderr]).toEqual([2, 'Quick runs cannot be kept: first. Run without --quick.\n']);
});

test('a result that cannot be shown leaves what is kept as it was', async () => {
  const [root, folder] = [await temporaryFolder(), await temporaryFolder()];
  const experiments = [ODD_EXPERIMENT];
  const whole = ODD_RESULT;
  const [cell] = whole.cells;
  await writeResult(folder, whole);
  await keepResults(folder, experiments, root);
  const files = () =>
    Promise.all(['BENCHMARKS.md', 'benchmarks/e9.json'].map((name) => readFile(join(root, name), 'utf8')));
  const before = await files();
  const odd: object[] = [
    { cells: [] },
    { cells: [null] },
    { cells: [{ ...cell, values: { ms: 'x' } }] },
    { cells: [{ ...cell, histograms: { delay: 'x' } }] },
    { machine: undefined },
    { plan: undefined },
    { warnings: undefined },
    { experiment: '../e9' },
  ];
  for (const part of odd) {
    await writeFile(join(folder, 'e9.json'), JSON.stringify({ ...whole, ...part }));
    await expect(keepResults(folder, experiments, root), JSON.stringify(part)).rejects.toThrow(UnusableFolder);
    expect(await files()).toEqual(before);
  }
});

test.each([{ plan: { only: ['sse'] } }, { warnings: ['Interrupted: 1 rounds are whole.'] }])(
  'a run that is not whole is not kept: %j',
  async (part) => {
    const out = await temporaryFolder();
    await writeResult(out, sampleResult(part));
    await expect(keepResults(out, [sampleExperiment()], out)).rejects.toThrow(
      'Only whole runs are kept, which e9 is not',
    );
  },
);

test('results of several folders are kept, and one of another Node.js stands beside the one that is there', async () => {
  const [root, out] = [await temporaryFolder(), await temporaryFolder()];
  const keep = async (node: string, name: string, value: number) => {
    const folder = join(out, node + name);
    await openFolder(folder);
    const cells = [{ measurement: 'a', subject: 'ldes-live', at: {}, repeat: 0, values: { cpuMicros: value } }];
    const machine = { ...sampleResult().machine, node };
    await writeResult(folder, sampleResult({ experiment: name, machine, cells }));
    return keepResults(folder, ALL, root);
  };
  const kept = [
    await keep('v20.19.0', 'first', 6),
    await keep('v24.1.0', 'first', 2),
    await keep('v20.19.0', 'fails', 1),
  ];
  expect(kept).toEqual([['first'], ['first.node24'], ['fails']]);
  expect(await keep('v20.20.0', 'first', 4)).toEqual(['first']);
  const page = await readFile(join(root, 'BENCHMARKS.md'), 'utf8');
  expect(page.match(/^## \w+/gm)).toEqual(['## first', '## fails']);
  expect(page).toContain('| Figure | Node.js v20.20.0 | Node.js v24.1.0 | Node.js v24.1.0 ÷ Node.js v20.20.0 |');
  expect(page).toContain('| cpuMicros, a, ldes-live | 4 | 2 | 0.500 |');
});
