import { describe, expect, test } from 'vitest';
import { makingText } from '../../src/e3/making-text.ts';
import { connectionsRun, fixedRun, run } from './made-runs.ts';

const CONNECTIONS = [0, 1, 2].map((repeat) => connectionsRun('ldes-live', repeat, repeat));
const FIXED = [
  fixedRun('ldes-live', 20, { serverShare: 0.59 }),
  fixedRun('ldes-live', 100, { serverShare: 0.14 }),
  fixedRun('sse', 100, { serverShare: 0.05 }),
];
const REACHED =
  'In test II, ldes-live had to make 5,000 members a second, in 100 commits of 50, however many connections read them; it kept up with 1 to 2 connections, and in 1 of 3 repeats with none.';
const SHARED =
  'In test III, 100,000 rows a second of ldes-live over 100 connections took 14 % of the core of the server, with 1,000 members a second to be made (1 of 1 repeats were kept up with).';

describe('what ended test II', () => {
  test('is what is made, where test III has more connections that take less', () => {
    expect(makingText({ connections: CONNECTIONS, fixed: FIXED })).toEqual([
      REACHED,
      SHARED,
      'So it is not the number of connections that ended test II, but the 100 commits a second of 50 members.',
    ]);
  });

  test('is left open where test III tells nothing of it', () => {
    const [few, many, other] = FIXED;
    expect(makingText({ connections: CONNECTIONS })).toEqual([REACHED]);
    const failed = { ...fixedRun('ldes-live', 100), isKeptUp: false };
    for (const fixed of [[few, other], [failed]]) {
      const runs = fixed.flatMap((one) => one ?? []);
      expect(makingText({ connections: CONNECTIONS, fixed: runs }).join(' ')).not.toContain('that ended test II');
    }
    const more = [connectionsRun('ldes-live', 0, 144)];
    const text = makingText({ connections: more, fixed: many ? [many] : [] });
    expect(text).toEqual([expect.stringContaining('kept up with 144 connections.'), SHARED]);
  });

  test('is left open where no step failed', () => {
    const unlimited = CONNECTIONS.slice(1).map((one) => ({ ...one, steps: one.steps.slice(0, 1) }));
    expect(makingText({ connections: unlimited, fixed: FIXED })).toHaveLength(2);
  });

  test('is no limit of the server alone where the consumer was full', () => {
    const full = [connectionsRun('ldes-live', 0, 1), connectionsRun('ldes-live', 1, 1, 0.99)];
    expect(makingText({ connections: full, fixed: FIXED }).slice(0, 1)).toEqual([
      expect.stringContaining('kept up with 1 connection.'),
    ]);
    expect(makingText({ connections: full, fixed: FIXED }).at(-1)).toBe(
      'The consumer was full where test II ended, in 1 of 2 repeats: that is no limit of the server alone.',
    );
  });
});

test('what is made of a row weighs more than the transport where it does in every test', () => {
  const batch = [run('websocket', 0, 400), run('sse', 0, 300), run('ldes-live', 0, 30)];
  const weight = 'What is made of a row weighs more than the transport that it goes by.';
  expect(makingText({ batch })).toEqual([
    'ldes-live stores each row as a member, and writes it as JSON-LD once for all who read it.',
    'In test I, ldes-live brings 0.100 times the rows a second of plain SSE.',
    weight,
  ]);
  const close = [run('websocket', 0, 400), run('sse', 0, 300), run('ldes-live', 0, 280)];
  expect(makingText({ batch, connections: close })).not.toContain(weight);
});

test('nothing follows from what was not measured', () => {
  expect(makingText({})).toEqual([]);
});
