/* How experiments run: rounds in turns, what fails, what a machine lacks, figures and ratios of what was measured. */
import { readdir } from 'node:fs/promises';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { type Asked, type Experiment, type Measured, type Missing, runExperiment } from '../src/experiment.ts';
import { figureOf, isMeant, rowsOf, spread } from '../src/figures.ts';
import type { Cell, CellPlan, Result } from '../src/result.ts';
import { sampleExperiment } from './samples.ts';

const ASKED: Asked = { quick: false, only: [], seed: 1 };

/** An experiment of two servers at two sizes, that measures what is given. */
function experimentOf(measure: Experiment['measure'], given: Partial<Experiment> = {}): Experiment {
  const cells = [10, 20].flatMap((clients) =>
    ['Express', 'ldes-live'].map((subject) => ({
      measurement: 'sse',
      subject,
      at: { clients },
      repeats: 3,
      seconds: 1,
    })),
  );
  return sampleExperiment({ plan: () => ({ repeats: 3 }), cells: () => cells, measure, ...given });
}

async function runOf(experiment: Experiment, asked: Partial<Asked> = {}, host = { busyCores: 0, stolenShare: 0 }) {
  const [lines, rounds]: [[string, number][], Result[]] = [[], []];
  const result = await runExperiment(
    experiment,
    { ...ASKED, ...asked },
    {
      folder: await temporaryFolder(),
      command: 'ldes-live bench e9',
      clock: () => 0,
      watchHost: async () => ({ busyCores: host.busyCores, stolenShare: () => host.stolenShare }),
      onProgress: (line, share) => lines.push([line, share]),
      onRound: async (one) => void rounds.push(one),
    },
  );
  return { result, lines, rounds };
}

const nameOf = ({ subject, at }: CellPlan) => `${subject} ${at.clients}`;

test('a round measures all cells in turns, and its result is given as soon as it is whole', async () => {
  const order: string[] = [];
  const { result, rounds, lines } = await runOf(
    experimentOf(async (cell, _, { repeat, measured }) => {
      order.push(`${repeat} ${nameOf(cell)}`);
      return { values: { before: measured.length } };
    }),
  );
  const round = ['Express 10', 'ldes-live 10', 'Express 20', 'ldes-live 20'];
  expect(order).toEqual([0, 1, 2].flatMap((repeat) => round.map((name) => `${repeat} ${name}`)));
  expect(result.cells.map(({ values }) => values.before)).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
  expect(rounds.map(({ cells }) => cells.length)).toEqual([4, 8, 12]);
  expect(rounds[0]?.warnings).toEqual([expect.stringMatching(/^Interrupted/)]);
  expect(result.warnings).toEqual([]);
  expect(lines[0]).toEqual(['sse, Express, clients 10: before 0', 1 / 12]);
  expect(lines.at(-1)?.[1]).toBe(1);
});

test('a cell that fails is named, and all others are measured; a refused one keeps the values that it has', async () => {
  const { result } = await runOf(
    experimentOf(async ({ subject, at }): Promise<Measured> => {
      if (subject === 'Express' && at.clients === 10) throw new Error('the wire is cut');
      return { values: { cpuMicros: 7 }, ...(at.clients === 20 && { refused: 'took 90 % of a core' }) };
    }),
    { quick: true },
  );
  expect(result.cells).toHaveLength(12);
  expect(result.cells[0]).toMatchObject({ values: {}, failed: 'the wire is cut', repeat: 0 });
  expect(result.cells[2]).toMatchObject({ values: { cpuMicros: 7 }, refused: 'took 90 % of a core' });
  expect(result.warnings).toContain('Failed: sse, Express, clients 10, round 1: the wire is cut.');
  expect(result.warnings.filter((text) => text.startsWith('Refused'))).toHaveLength(6);
  expect(result.warnings[0]).toMatch(/^Quick run/);
});

test('what is not on the machine is named once, and not tried again; a search gives several cells', async () => {
  let tries = 0;
  const found = [1, 2].map((rate) => ({ at: { rate }, values: {} }));
  const { result } = await runOf(
    experimentOf(async ({ subject }): Promise<readonly Measured[] | Missing> => {
      if (subject === 'ldes-live') return found;
      tries += 1;
      return { missing: 'nginx' };
    }),
  );
  expect(tries).toBe(2);
  expect(result.missing).toEqual(['nginx']);
  const places = [10, 20].flatMap((clients) => [1, 2].map((rate) => ({ clients, rate })));
  expect(result.cells.slice(0, 4).map(({ subject, at }) => [subject, at])).toEqual(
    places.map((at) => ['ldes-live', at]),
  );
  expect(result.warnings).toEqual(['Skipped, because it is not on this machine: nginx.']);
});

test('only what is asked for is measured, by a measurement or by another name, each as often as it is planned', async () => {
  const cell = (measurement: string, repeats: number, names: string[] = []) => {
    return { measurement, names, subject: 'a', at: {}, repeats, seconds: 1 };
  };
  const cells = () => [cell('one', 2), cell('two', 1, ['second']), cell('three', 3)];
  const measured = async (only: string[]) => {
    const { result } = await runOf(
      experimentOf(async () => ({ values: {} }), { cells }),
      { only },
    );
    return result;
  };
  const all = await measured([]);
  expect(all.cells.map(({ measurement }) => measurement)).toEqual(['one', 'two', 'three', 'one', 'three', 'three']);
  expect(all.warnings).toEqual([
    'Repeats of one: 2; fewer than 3 show no spread.',
    'Repeats of two: 1; fewer than 3 show no spread.',
  ]);
  const some = await measured(['second', 'one', 'one']);
  expect(some.cells.map(({ measurement }) => measurement)).toEqual(['one', 'two', 'one']);
  expect(some.plan).toEqual({ only: ['one', 'second'], repeats: 3 });
});

test('what cells share is started once and closed at the end, and a cell has a folder of its own that is removed', async () => {
  const events: string[] = [];
  const folders = new Set<string>();
  await runOf(
    experimentOf(async (_, __, { shared, folder }) => {
      folders.add(folder);
      expect(await readdir(folder)).toEqual([]);
      await shared('server', async () => {
        events.push('start');
        return { close: async () => void events.push('close') };
      });
      await shared('broken', () => Promise.reject(new Error('no port'))).catch(() => undefined);
      events.push('measure');
      return { values: {} };
    }),
  );
  expect(events).toEqual(['start', ...Array.from({ length: 12 }, () => 'measure'), 'close']);
  expect(folders.size).toBe(12);
  for (const folder of folders) await expect(readdir(folder)).rejects.toThrow('ENOENT');
});

test.each([
  [{ busyCores: 0.5, stolenShare: 0.02 }, []],
  [{ busyCores: 1.2, stolenShare: 0 }, ['Other programs kept 1.2 cores busy when it began.']],
  [{ busyCores: 0, stolenShare: 0.03 }, ['The host took 3.0 % of the CPU time that programs wanted.']],
])('on a machine of which others take %j, the warnings are %j', async (host, expected) => {
  const { result } = await runOf(
    experimentOf(async () => ({ values: {} })),
    {},
    host,
  );
  expect(result.warnings).toEqual(expected);
});

test.each([
  [[3, 1, 2], 2, 1, 3],
  [[4, 1, 2, 3], 3, 1, 4],
  [[7], 7, 7, 7],
])('the spread of %j is %d, from %d to %d', (values, median, min, max) => {
  expect(spread(values)).toEqual({ median, min, max, repeats: values.length });
});

function cellOf(subject: string, clients: number, repeat: number, values: Cell['values']): Cell {
  return { measurement: 'sse', subject, at: { clients }, repeat, values };
}

test('a ratio divides two cells of one round, and a round that lacks one has none', () => {
  const cells = [
    cellOf('ldes-live', 10, 0, { cpuMicros: 10 }),
    cellOf('Express', 10, 0, { cpuMicros: 50 }),
    cellOf('ldes-live', 10, 1, { cpuMicros: 20 }),
    cellOf('Express', 10, 1, { cpuMicros: 200 }),
    cellOf('ldes-live', 10, 2, { cpuMicros: 20 }),
    cellOf('Express', 10, 2, {}),
    cellOf('Express', 20, 2, { cpuMicros: 1 }),
  ];
  const [ours = []] = rowsOf(cells, { subject: 'ldes-live' });
  const figure = { value: 'cpuMicros', over: { subject: 'Express' } };
  expect(figureOf(ours, figure, cells)).toEqual({ median: 0.2, min: 0.1, max: 0.2, repeats: 2 });
  expect(figureOf(ours, { value: 'cpuMicros', per: 10 }, cells)).toEqual({ median: 2, min: 1, max: 2, repeats: 3 });
  expect(figureOf(ours, { value: 'cpuMicros', isTotal: true }, cells)?.median).toBe(50);
  expect(figureOf(ours, { value: 'p99Ms' }, cells)).toBeUndefined();
});

test('a percentile is not known where a round lost too much, and a figure of nothing is none', () => {
  const rounds = [{ p99Ms: 10, cpuMicros: Number.POSITIVE_INFINITY }, {}].map((values, repeat) =>
    cellOf('ldes-live', 10, repeat, values),
  );
  const refused = rounds.map((cell) => ({ ...cell, ...(cell.repeat === 1 && { refused: 'busy' }) }));
  expect(figureOf(rounds, { value: 'p99Ms' }, rounds)).toBeUndefined();
  expect(figureOf(refused, { value: 'p99Ms' }, refused)?.median).toBe(10);
  expect(figureOf(rounds, { value: 'cpuMicros' }, rounds)).toBeUndefined();
});

test.each([
  [{}, true],
  [{ subject: ['Nchan', 'ldes-live'], measurement: 'sse' }, true],
  [{ subject: 'Express' }, false],
  [{ at: { clients: { from: 5, to: 10 } } }, true],
  [{ at: { clients: { from: 11 } } }, false],
  [{ at: { front: 'nginx' } }, false],
])('a cell of ldes-live with 10 clients is one of %j: %s', (where, expected) => {
  expect(isMeant(cellOf('ldes-live', 10, 0, {}), where)).toBe(expected);
});
