import { expect, test } from 'vitest';
import type { Answer } from '../../src/evaluate/evaluator.ts';
import type { ResultOperator } from '../../src/options.ts';
import type { Row } from '../../src/result.ts';
import { evaluatorOf, shown } from './entity-stream.ts';

const ROOM = 'SELECT ?g ?n { ?g <urn:room> ?n }';
const operators = ['delta', 'istream', 'dstream', 'rstream'] as const;

const NAMES: Readonly<Record<string, string>> = { 'g=urn:a n=1': 'a', 'g=urn:b n=2': 'b' };

/** What an answer tells, such as `+a -b`: what came, what went, and `news` if it is any. */
function told({ added, removed, isNew }: Answer): string {
  const rows = (sign: string, of: Answer['added']) => shown(of).map((row) => sign + (NAMES[row] ?? row));
  return [...(isNew ? ['news'] : []), ...rows('+', added), ...rows('-', removed)].join(' ');
}

/** Of windows with a and b (the one before had a alone), with b, empty, with a, and with a again. */
const ofWindows: Readonly<Record<ResultOperator, readonly string[]>> = {
  delta: ['news +b', 'news -a', 'news -b', 'news +a', ''],
  istream: ['news +b', '', '', 'news +a', ''],
  dstream: ['', 'news -a', 'news -b', '', ''],
  rstream: ['news +a +b', 'news +b', '', 'news +a', 'news +a'],
};

test.each(operators)('QUERY-106 of time windows it is told what %s tells', async (output) => {
  const window = { type: 'time', range: 10, step: 5 } as const;
  const { evaluator, publish } = await evaluatorOf(ROOM, { window, output });
  await publish({ a: { room: 1 } }, 1_000);
  await publish({ b: { room: 2 } }, 6_000);
  await publish({ a: { room: 1 } }, 36_000);
  await publish({ c: { colour: 2 } }, 41_000);
  const answers: Answer[] = [];
  for (let next = await evaluator.evaluate(45_000); next; next = await evaluator.evaluate(45_000)) answers.push(next);
  expect(answers.map(({ window }) => window?.closeMs)).toEqual([5_000, 10_000, 15_000, 20_000, 40_000, 45_000]);
  const first = output === 'dstream' ? '' : 'news +a';
  expect(answers.map(told)).toEqual([first, ...ofWindows[output]]);
  expect(evaluator.nextCloseMs).toBe(50_000);
});

/** Of the latest state, which is empty, has a and b, has b alone, and stays so. */
const ofStates: Readonly<Record<ResultOperator, readonly string[]>> = {
  delta: ['news', 'news +a +b', 'news -a', ''],
  istream: ['', 'news +a +b', '', ''],
  dstream: ['', '', 'news -a', ''],
  rstream: ['news', 'news +a +b', 'news +b', ''],
};

test.each(operators)('QUERY-106 of the latest state it is told what %s tells', async (output) => {
  const { evaluator, publish } = await evaluatorOf(ROOM, { output });
  const answers = [told(await evaluator.evaluate())];
  for (const change of [{ a: { room: 1 }, b: { room: 2 } }, { a: undefined }, undefined]) {
    if (change) await publish(change);
    answers.push(told(await evaluator.evaluate()));
  }
  expect(answers).toEqual(ofStates[output]);
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
