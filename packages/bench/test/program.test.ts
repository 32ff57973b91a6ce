import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bench } from '../src/bench.ts';
import { parseBench } from '../src/command-line.ts';
import { UsageMistake } from '../src/options.ts';
import { makeReport } from '../src/report/make-report.ts';
import { fakeExperiment, NOTHING } from './fake-experiment.ts';

describe('bench', () => {
  let out: string;
  beforeEach(async () => {
    out = await mkdtemp(join(tmpdir(), 'ldes-live-reports-'));
  });
  afterEach(() => rm(out, { recursive: true }));

  const fails = fakeExperiment('fails', {
    expectedSeconds: () => 30,
    run: () => Promise.reject(new Error('the wire is cut')),
  });
  const catalogue = { experiments: [fakeExperiment('first'), fails, fakeExperiment('last')], beyondAll: [] };

  async function told(
    args: readonly string[],
    experiments: Parameters<typeof bench>[2] = catalogue,
    { load = 0, withheld = [0, 0] }: { readonly load?: number; readonly withheld?: readonly number[] } = {},
  ) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const counts = withheld.values();
    let wanted = 0;
    const cpuCounts = () => {
      wanted += 1000;
      return { wanted, withheld: counts.next().value ?? 0 };
    };
    const code = await bench(args, { stdout, stderr, othersLoad: async () => load, cpuCounts }, experiments);
    return { code, stdout: stdout.read()?.toString() ?? '', stderr: stderr.read()?.toString() ?? '' };
  }

  test('an experiment prints its report, and tells how far it is', async () => {
    const { code, stdout, stderr } = await told(['first', '--seed', '5']);
    expect(code).toBe(0);
    expect(stdout).toContain('first: Title of first');
    expect(stdout).toContain('Seed: 5');
    expect(stderr).toBe('[0 %, about 10 s left] first: begins\n[50 %, about 5 s left] first: half\n');
  });

  test('of all, one that fails is named, and loses no report of the others', async () => {
    const { code, stdout, stderr } = await told(['all', '--out', out]);
    expect(code).toBe(1);
    expect(stdout).toContain('Title of first');
    expect(stdout).toContain('Title of last');
    expect(stderr).toContain('fails failed: Error: the wire is cut');
    expect(stderr).toMatch(/Failed: fails\.\n$/);
    // By what each was expected to take.
    expect(stderr).toContain('[20 %, about');
    expect(stderr).toContain('] fails: begins');
    expect(stderr).toContain('[80 %, about');
    expect(await readdir(out)).toEqual(expect.arrayContaining(['first.json', 'last.json', 'report.html']));
    expect(await readdir(out)).not.toContain('fails.json');
  });

  test('a report takes the place of the one before, the page has those of the folder, and ratios are compared', async () => {
    let median = 2;
    const ratio = fakeExperiment('ratio', {
      run: async (asked, edge) => {
        const ratios = { 'a / b': { median, min: median, max: median, repeats: 1 } };
        return makeReport({ name: 'ratio', title: 'Ratio', about: 'About.' }, asked, edge, 0, { ...NOTHING, ratios });
      },
    });
    const experiments = { experiments: [fakeExperiment('first'), ratio], beyondAll: [] };
    await told(['first', '--out', out], experiments);
    await told(['ratio', '--out', out], experiments);
    median = 4;
    const { stdout, stderr } = await told(['ratio', '--out', out], experiments);
    expect(stdout).toContain('Agreement with an earlier run');
    expect(stderr).toContain(`ratio: written to ${join(out, 'report.html')}`);
    expect(JSON.parse(await readFile(join(out, 'ratio.json'), 'utf8')).ratios['a / b'].median).toBe(4);
    const page = await readFile(join(out, 'report.html'), 'utf8');
    expect(page).toContain('Title of first');
    expect(page).toContain('Ratio');
  });

  test.each([
    [0.5, false],
    [1.234, true],
  ])('other programs that keep %s cores busy when it begins: warned is %s', async (load, isWarned) => {
    const { stdout } = await told(['first'], catalogue, { load });
    expect(stdout.includes('! Other programs kept 1.23 cores of this machine busy when it began.')).toBe(isWarned);
  });

  test.each([
    [[5, 25], false],
    [[5, 26], true],
  ])('a host that withheld %o of a thousand: warned is %s', async (withheld, isWarned) => {
    const { stdout } = await told(['first'], catalogue, { withheld });
    expect(stdout.includes('! The host of this virtual machine withheld 2.10 % of the CPU time')).toBe(isWarned);
  });
});

describe('command line', () => {
  const catalogue = {
    experiments: [
      fakeExperiment('one', { options: ['clients', 'repeat', 'duration', 'mal'], measurements: ['a', 'b'] }),
      fakeExperiment('two', {
        options: ['repeat'],
        refusal: ({ repeats = 1 }) => (repeats > 9 ? 'Too many.' : undefined),
      }),
      fakeExperiment('long', { measurements: ['c'] }),
    ],
    beyondAll: ['long'],
  };
  const parse = (line: string) => parseBench(line.split(' ').filter(Boolean), catalogue);
  const DEFAULT = { quick: false, only: [], seed: 1 };

  function runsOf(line: string) {
    const command = parse(line);
    return command.kind === 'run' ? command.runs.map(({ experiment, asked }) => [experiment.name, asked]) : [];
  }

  test.each([
    ['one', [['one', DEFAULT]]],
    ['one --only b --only a --quick', [['one', { quick: true, only: ['b', 'a'], seed: 1 }]]],
    [
      'one --clients 100,2000 --duration 1.5 --repeat 5 --mal .5,60 --seed 0',
      [['one', { ...DEFAULT, seed: 0, clients: [100, 2000], durationSeconds: 1.5, repeats: 5, malSeconds: [0.5, 60] }]],
    ],
    ['one --clients 7,100,7 --mal 5,5.0', [['one', { ...DEFAULT, clients: [7, 100], malSeconds: [5] }]]],
    [
      'all',
      [
        ['one', DEFAULT],
        ['two', DEFAULT],
      ],
    ],
    [
      'all --repeat 2 --clients 7',
      [
        ['one', { ...DEFAULT, repeats: 2, clients: [7] }],
        ['two', { ...DEFAULT, repeats: 2 }],
      ],
    ],
  ])('"%s" asks for that', (line, runs) => {
    expect(runsOf(line)).toEqual(runs);
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
});
