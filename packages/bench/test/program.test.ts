/* The command: what it takes, how experiments run, what it says and writes. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { bench } from '../src/bench.ts';
import { parseBench } from '../src/command-line.ts';
import type { Experiment } from '../src/experiment.ts';
import { measuredExperiment } from '../src/measured-experiment.ts';
import { UsageMistake } from '../src/options.ts';
import { type Found, makeReport } from '../src/report/make-report.ts';
import type { Setting } from '../src/setting.ts';
import { workloadOf } from '../src/workload-of.ts';

const NOTHING: Found = { workload: {}, repeats: 1, warnings: [], sections: [], ratios: {}, histograms: {}, data: {} };

/** An experiment that takes no time. */
function fakeExperiment(name: string, parts: Partial<Experiment> = {}, found: () => Partial<Found> = () => ({})) {
  const run: Experiment['run'] = async (asked, edge) => {
    edge.onProgress('half', 0.5);
    const words = { name, title: `Title of ${name}`, about: 'About.' };
    return makeReport(words, asked, edge, 0, { ...NOTHING, ...found() });
  };
  return { name, about: `what ${name} is about`, measurements: [], expectedSeconds: () => 10, run, ...parts };
}

const fails = fakeExperiment('fails', {
  expectedSeconds: () => 30,
  run: () => Promise.reject(new Error('the wire is cut')),
});
const CATALOGUE = { experiments: [fakeExperiment('first'), fails, fakeExperiment('last')], beyondAll: [] };

async function told(line: string, catalogue: Parameters<typeof bench>[2] = CATALOGUE, load = 0, withheld = [0, 0]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const counts = withheld.values();
  let wanted = 0;
  const cpuCounts = () => {
    wanted += 1000;
    return { wanted, withheld: counts.next().value ?? 0 };
  };
  const code = await bench(line.split(' '), { stdout, stderr, othersLoad: async () => load, cpuCounts }, catalogue);
  return { code, stdout: stdout.read()?.toString() ?? '', stderr: stderr.read()?.toString() ?? '' };
}

test('an experiment prints its report, and tells how far it is', async () => {
  const { code, stdout, stderr } = await told('first --seed 5');
  expect(code).toBe(0);
  expect(stdout).toContain('first: Title of first');
  expect(stdout).toContain('Seed: 5');
  expect(stderr).toBe('[0 %, about 10 s left] first: begins\n[50 %, about 5 s left] first: half\n');
});

test('of all, one that fails is named, and loses no report of the others', async () => {
  const out = await temporaryFolder();
  const { code, stdout, stderr } = await told(`all --out ${out}`);
  expect(code).toBe(1);
  for (const title of ['Title of first', 'Title of last']) expect(stdout).toContain(title);
  expect(stderr).toContain('fails failed: Error: the wire is cut');
  expect(stderr).toMatch(/Failed: fails\.\n$/);
  // By what each was expected to take.
  for (const text of ['[20 %, about', '] fails: begins', '[80 %, about']) expect(stderr).toContain(text);
  const written = await readdir(out);
  expect(written).toEqual(expect.arrayContaining(['first.json', 'last.json', 'report.html']));
  expect(written).not.toContain('fails.json');
});

test('a report takes the place of the one before, the page has those of the folder, and ratios are compared', async () => {
  const out = await temporaryFolder();
  let median = 2;
  const found = () => ({ ratios: { 'a / b': { median, min: median, max: median, repeats: 1 } } });
  const catalogue = { experiments: [fakeExperiment('first'), fakeExperiment('ratio', {}, found)], beyondAll: [] };
  for (const name of ['first', 'ratio']) await told(`${name} --out ${out}`, catalogue);
  median = 4;
  const { stdout, stderr } = await told(`ratio --out ${out}`, catalogue);
  expect(stdout).toContain('Agreement with an earlier run');
  expect(stderr).toContain(`ratio: written to ${join(out, 'report.html')}`);
  expect(JSON.parse(await readFile(join(out, 'ratio.json'), 'utf8')).ratios['a / b'].median).toBe(4);
  const page = await readFile(join(out, 'report.html'), 'utf8');
  for (const title of ['Title of first', 'Title of ratio']) expect(page).toContain(title);
});

const OTHERS = '! Other programs kept 1.23 cores of this machine busy when it began.';
const HOST = '! The host of this virtual machine withheld 2.10 % of the CPU time';

test.each([
  [0.5, [5, 25], []],
  [1.234, [5, 25], [OTHERS]],
  [0.5, [5, 26], [HOST]],
])(
  'with %d cores busy, and %j of a thousand withheld, these are its warnings: %j',
  async (load, withheld, warnings) => {
    const { stdout } = await told('first', CATALOGUE, load, withheld);
    expect([OTHERS, HOST].filter((warning) => stdout.includes(warning))).toEqual(warnings);
  },
);

const MEASURED = ['clients', 'repeat', 'duration', 'mal'] as const;
const refusal: Experiment['refusal'] = ({ repeats = 1 }) => (repeats > 9 ? 'Too many.' : undefined);
const OFFERED = {
  experiments: [
    fakeExperiment('one', { options: MEASURED, measurements: ['a', 'b'] }),
    fakeExperiment('two', { options: ['repeat'], refusal }),
    fakeExperiment('long', { measurements: ['c'] }),
  ],
  beyondAll: ['long'],
};
const parse = (line: string) => parseBench(line.split(' ').filter(Boolean), OFFERED);

test.each([
  ['one', { one: {} }],
  ['one --only b --only a --quick', { one: { quick: true, only: ['b', 'a'] } }],
  [
    'one --clients 100,2000 --duration 1.5 --repeat 5 --mal .5,60 --seed 0',
    { one: { seed: 0, clients: [100, 2000], durationSeconds: 1.5, repeats: 5, malSeconds: [0.5, 60] } },
  ],
  ['one --clients 7,100,7 --mal 5,5.0', { one: { clients: [7, 100], malSeconds: [5] } }],
  ['all', { one: {}, two: {} }],
  ['all --repeat 2 --clients 7', { one: { repeats: 2, clients: [7] }, two: { repeats: 2 } }],
])('"%s" asks for %j', (line, expected) => {
  const command = parse(line);
  const runs = command.kind === 'run' ? command.runs.map(({ experiment, asked }) => [experiment.name, asked]) : [];
  const whole = Object.entries(expected).map(([name, asked]) => [name, { quick: false, only: [], seed: 1, ...asked }]);
  expect(runs).toEqual(whole);
});

test.each([
  ['', 'Give an experiment: one, two, long, or all.'],
  ['three', '"three" is no experiment: give one of one, two, long, or all.'],
  ['one --fast', "Unknown option '--fast'."],
  ['one --out=', '--out is empty: give a folder.'],
  ['two --repeat 10', 'Too many.'],
  ['one --only c', '--only is "c": the measurements of one are a, b.'],
  ['two --clients 10', 'two has no option --clients.'],
  ['one --clients 10,', '--clients has "": give whole numbers from 1 to 100000, with commas between them.'],
  ['one --clients 0', '--clients has "0"'],
  ['one --clients 100001', '--clients has "100001"'],
  ['one --duration 0', '--duration has "0": give seconds, above 0 and up to 86400.'],
  ['one --repeat 0', '--repeat has "0": give a whole number from 1 to 1000.'],
  ['one --mal 1,-2', '--mal has "-2": give seconds, above 0 and up to 86400, with commas between several.'],
  ['one --seed 4294967296', '--seed has "4294967296": give a whole number from 0 to 4294967295.'],
])('"%s" is refused: %s', (line, message) => {
  expect(() => parse(line)).toThrow(UsageMistake);
  expect(() => parse(line)).toThrow(message);
});

type Sizes = Readonly<Record<'short' | 'long', { readonly clients: number }>>;

const measure = async ({ clients }: { readonly clients: number }, { folder, onProgress }: Setting) => {
  await writeFile(join(folder, 'log'), '');
  onProgress(`${clients} clients`, 0.5);
  return { served: clients };
};

const two = measuredExperiment<Sizes, Readonly<Record<keyof Sizes, { served: number }>>>({
  words: { name: 'two', title: 'Two', about: 'About.' },
  about: 'two measurements',
  measurements: { short: measure, long: measure },
  planOf: ({ repeats = 1 }) => ({ short: { clients: repeats }, long: { clients: 10 } }),
  secondsOf: () => ({ short: 10, long: 30 }),
  foundOf: (results) => ({ ...NOTHING, warnings: Object.keys(results) }),
});
const [SHORT, LONG] = [{ 'short clients': 3 }, { 'long clients': 10 }];
const [SHORT_RESULT, LONG_RESULT] = [{ short: { served: 3 } }, { long: { served: 10 } }];

// In their order; each counts by how long it takes.
test.each([
  [
    [],
    40,
    { ...SHORT_RESULT, ...LONG_RESULT },
    { ...SHORT, ...LONG },
    [
      ['3 clients', 0.125],
      ['10 clients', 0.625],
    ],
  ],
  [['long'], 30, LONG_RESULT, { only: 'long', ...LONG }, [['10 clients', 0.5]]],
])(
  'of an experiment these measurements are asked for: %j (none: all)',
  async (only, seconds, results, workload, said) => {
    const folder = await temporaryFolder();
    const progress: (readonly [string, number])[] = [];
    const onProgress = (line: string, share: number) => void progress.push([line, share]);
    const asked = { quick: false, only, seed: 1, repeats: 3 };
    const report = await two.run(asked, { folder, onProgress, clock: () => 0 });
    expect(report).toMatchObject({ workload, warnings: Object.keys(results) });
    expect(report.data).toMatchObject({ results });
    expect([Object.keys((report.data as { results: object }).results), progress]).toEqual([Object.keys(results), said]);
    expect(two.expectedSeconds(asked)).toBe(seconds);
    expect(await readdir(folder)).toEqual([]);
  },
);

test('sizes are named by their measurement, and only of those that were run', () => {
  const plan = { slow: { clients: 5, push: { limit: 1 } }, fast: { clients: [1, 2], kind: 'sized' } };
  const fast = { 'fast clients': [1, 2], 'fast kind': 'sized' };
  expect(workloadOf(plan, ['slow', 'fast'])).toEqual({ 'slow clients': 5, 'slow push': '{"limit":1}', ...fast });
  expect(workloadOf(plan, ['fast'])).toEqual(fast);
});
