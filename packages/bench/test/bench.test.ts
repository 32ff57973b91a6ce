import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bench, EXPERIMENTS } from '../src/bench.ts';
import { makeReport } from '../src/report/make-report.ts';
import { fakeExperiment, NOTHING } from './fake-experiment.ts';

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

test('an --out that cannot be written to is told of before anything is measured', async () => {
  const file = join(out, 'file');
  await writeFile(file, '');
  const begun: string[] = [];
  const begins = fakeExperiment('begins', { run: async () => Promise.reject(begun.push('begins')) });
  const { code, stdout, stderr } = await told(['begins', '--out', join(file, 'in')], {
    experiments: [begins],
    beyondAll: [],
  });
  expect([code, stdout, begun]).toEqual([2, '', []]);
  expect(stderr).toMatch(/^--out is ".*", where nothing can be written: ENOTDIR: .*\.\n$/);
});

test('a report that cannot be written any more has been printed', async () => {
  const [folder, first] = [join(out, 'gone'), fakeExperiment('first')];
  const removes = fakeExperiment('removes', {
    run: async (asked, edge) => {
      await rm(folder, { recursive: true });
      await writeFile(folder, '');
      return first.run(asked, edge);
    },
  });
  const { code, stdout, stderr } = await told(['removes', '--out', folder], {
    experiments: [removes, first],
    beyondAll: [],
  });
  expect(code).toBe(1);
  expect(stdout).toContain('Title of first');
  expect(stderr).toMatch(/first: the report could not be written: [^\n]*\n$/);
});

test('a report of another workload is kept under another name, and is not on the page', async () => {
  const first = fakeExperiment('first', { measurements: ['part'] });
  const experiments = { experiments: [first], beyondAll: [] };
  await writeFile(join(out, 'first.hlog'), 'latencies');
  const shorter = [['--only', 'part'], ['--quick'], []];
  await told(['first', '--out', out], experiments);
  const kept: string[] = [];
  for (const options of shorter) {
    const { stdout, stderr } = await told(['first', '--out', out, ...options], experiments);
    expect(stdout).not.toContain('Agreement');
    kept.push(/the earlier report is of another workload, and kept as (.*)\n/.exec(stderr)?.[1] ?? '');
  }
  const names = ['', '-2', '-3'].map((suffix) => join(out, `first.1970-01-01T00-00-00Z${suffix}.json`));
  expect(kept).toEqual(names);
  const reports = await Promise.all(names.map(async (name) => JSON.parse(await readFile(name, 'utf8'))));
  expect(reports.map(({ isQuick, workload }) => [isQuick, workload])).toEqual([
    [false, {}],
    [false, { only: 'part' }],
    [true, {}],
  ]);
  expect(await readFile((names[0] as string).replace('.json', '.hlog'), 'utf8')).toBe('latencies');
  expect((await readFile(join(out, 'report.html'), 'utf8')).match(/<article/g)).toHaveLength(1);
  const { stdout, stderr } = await told(['first', '--out', out], experiments);
  expect(stdout).toContain('Agreement with an earlier run');
  expect(stderr).not.toContain('kept as');
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

test('a folder of its own is there for each experiment, and is gone after it', async () => {
  const folders: string[] = [];
  const asks = fakeExperiment('asks', {
    run: async (asked, edge) => {
      folders.push(edge.folder);
      expect(await readdir(edge.folder)).toEqual([]);
      return fakeExperiment('asks').run(asked, edge);
    },
  });
  await told(['asks'], { experiments: [asks], beyondAll: [] });
  await expect(readdir(folders[0] as string)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.each([[[]], [['nothing']], [['first', 'last']], [['first', '--clients', '3']], [['first', '--only', 'x']]])(
  'arguments that make no sense end with 2, what is wrong, and how it is used: %j',
  async (args) => {
    const { code, stdout, stderr } = await told(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^.+\.\n\nRuns an experiment/);
  },
);

test('help has every experiment with its line, its measurements and who has which option', async () => {
  const stdoutStream = new PassThrough();
  expect(await bench(['--help'], { stdout: stdoutStream, stderr: new PassThrough() })).toBe(0);
  const stdout = stdoutStream.read().toString();
  for (const name of ['documents', 'fanout', 'replay', 'query', 'client', 'sources']) {
    expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
  }
  expect(stdout).toContain('all of them but client and sources, which would take another 34 min and 5 min');
  expect(stdout).toContain('of query: evaluation, stalls');
  expect(Math.max(...stdout.split('\n').map((line: string) => line.length))).toBeLessThanOrEqual(110);
});

test.each(EXPERIMENTS.experiments)('$name is told of in one line of at most 90 characters', ({ about }) => {
  expect(about).toMatch(/^[^\n]{1,90}$/);
});
