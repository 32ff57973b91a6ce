import { expect, test } from 'vitest';
import type { ResultOperator } from '../../src/options.ts';
import type { Row } from '../../src/result.ts';
import { evaluatorOf, shown } from './entity-stream.ts';

const ROOM = 'SELECT ?g ?n { ?g <urn:room> ?n }';
const operators = ['delta', 'istream', 'dstream', 'rstream'] as const;

/** What an operator tells: what came, what went, and whether that is news. */
type Told = readonly [added: readonly string[], removed: readonly string[], isNew: boolean];

const A = 'g=urn:a n=1';
const B = 'g=urn:b n=2';

/** Of a window with a and b, one with b, one that is empty, and one with a. */
const windows: Readonly<Record<ResultOperator, readonly Told[]>> = {
  delta: [
    [[A, B], [], true],
    [[], [A], true],
    [[], [B], true],
    [[A], [], true],
    [[], [], false],
  ],
  istream: [
    [[A, B], [], true],
    [[], [], false],
    [[], [], false],
    [[A], [], true],
    [[], [], false],
  ],
  dstream: [
    [[], [], false],
    [[], [A], true],
    [[], [B], true],
    [[], [], false],
    [[], [], false],
  ],
  rstream: [
    [[A, B], [], true],
    [[B], [], true],
    [[], [], false],
    [[A], [], true],
    [[A], [], true],
  ],
};

test.each(operators)('QUERY-106 of time windows it is told what %s tells', async (output) => {
  const window = { type: 'time', range: 10, step: 5 } as const;
  const { evaluator, publish } = await evaluatorOf(ROOM, { window, output });
  await publish({ a: { room: 1 } }, 1_000);
  await publish({ b: { room: 2 } }, 6_000);
  await publish({ a: { room: 1 } }, 36_000);
  await publish({ c: { colour: 2 } }, 41_000);
  const told: Told[] = [];
  const closes: number[] = [];
  for (;;) {
    const answer = await evaluator.evaluate(45_000);
    if (!answer) break;
    // The window that closes at 5 holds a alone, as the one at 10 does but for b.
    const { closeMs } = answer.window!;
    if (closeMs === 5_000) continue;
    closes.push(closeMs / 1000);
    told.push([shown(answer.added), shown(answer.removed), answer.isNew]);
  }
  expect(closes).toEqual([10, 15, 20, 40, 45]);
  const expected =
    output === 'delta' || output === 'istream' ? [[[B], [], true], ...windows[output].slice(1)] : windows[output];
  expect(told).toEqual(expected);
  expect(evaluator.nextCloseMs).toBe(50_000);
});

test.each(operators)('QUERY-106 of the latest state it is told what %s tells', async (output) => {
  const { evaluator, publish } = await evaluatorOf(ROOM, { output });
  const tell = async (): Promise<Told> => {
    const { added, removed, isNew } = await evaluator.evaluate();
    return [shown(added), shown(removed), isNew];
  };
  const empty = await tell();
  await publish({ a: { room: 1 }, b: { room: 2 } });
  const came = await tell();
  await publish({ a: undefined });
  const went = await tell();
  expect({ empty, came, went, same: await tell() }).toEqual({
    empty: [[], [], output === 'delta' || output === 'rstream'],
    came: [output === 'dstream' ? [] : [A, B], [], output !== 'dstream'],
    went: [
      output === 'rstream' ? [B] : [],
      output === 'rstream' || output === 'istream' ? [] : [A],
      output !== 'istream',
    ],
    same: [[], [], false],
  });
});

test('QUERY-106 of ASK the value is told where it is another, by RSTREAM for every window', async () => {
  const tell = async (output: ResultOperator) => {
    const window = { type: 'time', range: 5 } as const;
    const { evaluator, publish } = await evaluatorOf('ASK { ?g <urn:room> 1 }', { window, output, malMs: 5_000 });
    for (const [index, room] of [2, 1, 1, 2].entries()) await publish({ a: { room } }, index * 5_000);
    const told: unknown[] = [];
    for (let index = 0; index < 4; index += 1) {
      const answer = await evaluator.evaluate(20_000);
      told.push([answer?.value, answer?.isNew]);
    }
    return told;
  };
  const values = [false, true, true, false];
  for (const output of ['delta', 'istream', 'dstream'] as const) {
    expect(await tell(output), output).toEqual(values.map((value, index) => [value, index !== 2]));
  }
  expect(await tell('rstream')).toEqual(values.map((value) => [value, true]));
});

test('QUERY-106 of an ordered answer another order is news, though nothing came or went', async () => {
  const { evaluator, publish } = await evaluatorOf('SELECT ?g { ?g <urn:room> ?n } ORDER BY ?n ?g');
  await publish({ a: { room: 1 }, b: { room: 2 } });
  await evaluator.evaluate();
  await publish({ a: { room: 3 } });
  expect(await evaluator.evaluate()).toMatchObject({ added: [], removed: [], isNew: true });
  expect((evaluator.answer() as readonly Row[]).map(({ g }) => g?.value)).toEqual(['urn:b', 'urn:a']);
  await publish({ a: { room: 4 } });
  expect((await evaluator.evaluate()).isNew).toBe(false);
});
