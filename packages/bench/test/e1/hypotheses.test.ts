import { describe, expect, test } from 'vitest';
import { answerHypotheses } from '../../src/e1/hypotheses.ts';
import { cellRun, latencyOf, summarized } from './made-up-runs.ts';

/** CPU micros of an update by way and clients; latencies of push by clients. */
function answersFor(
  cpu: Readonly<Record<string, readonly [number, number]>>,
  latencies: { readonly pull: number; readonly push: number } = { pull: 300, push: 5 },
) {
  const runs = Object.entries(cpu).flatMap(([way, micros]) =>
    [100, 1000].map((clients, index) =>
      cellRun(
        { way, clients },
        {
          serverCpuMicros: micros[index] as number,
          latency: latencyOf([way.startsWith('sse') ? latencies.push : latencies.pull]),
        },
      ),
    ),
  );
  const [h1, h2, h3] = answerHypotheses(summarized(runs)).map(({ answers }) => answers[0]);
  return { h1, h2, h3 };
}

const SAME = { 'polling-express': [1000, 10_000], 'sse-express': [500, 5000] } as const;

describe('H1', () => {
  test('is accepted when both percentiles of push are lower at every size', () => {
    expect(answersFor(SAME).h1?.verdict).toBe('accepted');
  });

  test('is rejected when push is later', () => {
    expect(answersFor(SAME, { pull: 5, push: 300 }).h1?.verdict).toBe('rejected');
  });

  test('names the numbers that decided', () => {
    expect(answersFor(SAME).h1?.numbers).toMatch(/100 clients: p50 5 ms against 300 ms/);
  });

  test('is undecided when the latencies were refused', () => {
    const runs = ['polling-express', 'sse-express'].map((way) => ({
      ...cellRun({ way, clients: 100 }),
      refusal: 'the load was busy',
    }));
    expect(answerHypotheses(summarized(runs))[0]?.answers[0]?.verdict).toBe('undecided');
  });
});

describe('H2', () => {
  test('is accepted when polling takes more at first and grows less steeply', () => {
    expect(answersFor({ 'polling-express': [2000, 4000], 'sse-express': [500, 5000] }).h2?.verdict).toBe('accepted');
  });

  test('is rejected when polling grows more steeply', () => {
    expect(answersFor(SAME).h2?.verdict).toBe('rejected');
  });

  test('is rejected when polling takes less at first', () => {
    expect(answersFor({ 'polling-express': [100, 200], 'sse-express': [500, 5000] }).h2?.verdict).toBe('rejected');
  });

  test('is undecided with one number of clients', () => {
    const runs = ['polling-express', 'sse-express'].map((way) => cellRun({ way, clients: 100 }));
    expect(answerHypotheses(summarized(runs))[1]?.answers[0]?.verdict).toBe('undecided');
  });
});

describe('H3', () => {
  test('is accepted from the first number of clients on at which push takes more', () => {
    const { h3 } = answersFor({ 'polling-express': [2000, 4000], 'sse-express': [500, 5000] });
    expect(h3?.verdict).toBe('accepted');
    expect(h3?.numbers).toMatch(/^from 1,000 clients on/);
  });

  test('is rejected when push takes more with few clients only', () => {
    expect(answersFor({ 'polling-express': [100, 9000], 'sse-express': [500, 5000] }).h3?.verdict).toBe('rejected');
  });

  test('is rejected when push never takes more', () => {
    expect(answersFor(SAME).h3?.verdict).toBe('rejected');
  });
});

test('a way to poll is beside the push of its own server', () => {
  const runs = ['polling-express', 'polling-live-varnish', 'sse-express', 'sse-live', 'sse-nchan'].map((way) =>
    cellRun({ way, clients: 100 }),
  );
  const pairs = answerHypotheses(summarized(runs))[0]?.answers.map(({ pull, push }) => [pull.id, push.id]);
  expect(pairs).toEqual([
    ['polling-express', 'sse-express'],
    ['polling-live-varnish', 'sse-live'],
  ]);
});

describe('what was lost or skipped, and repeats that overlap', () => {
  const verdictOf = (id: 'H1' | 'H2' | 'H3', runs: Parameters<typeof summarized>[0]) =>
    answerHypotheses(summarized(runs)).find((one) => one.id === id)?.answers[0];
  const at = (way: string, clients: number, measured: Parameters<typeof cellRun>[1], repeat = 0) =>
    cellRun({ way, clients, repeat }, measured);

  test('make push later than polling, although what came of it was sooner', () => {
    const pull = at('polling-express', 100, { latency: latencyOf([300]) });
    const push = (lost: number) =>
      at('sse-express', 100, {
        lost,
        delivered: 100 - lost,
        latency: latencyOf(Array.from({ length: 100 - lost }, () => 5)),
      });
    expect(verdictOf('H1', [pull, push(1)])?.verdict).toBe('accepted');
    expect(verdictOf('H1', [pull, push(2)])).toMatchObject({
      verdict: 'rejected',
      numbers: expect.stringContaining('p99 never against 300 ms'),
    });
  });

  test('leave H1 undecided where the ranges of the repeats overlap', () => {
    const runs = (pushMs: number) => [
      ...[300, 400].map((ms, repeat) => at('polling-express', 100, { latency: latencyOf([ms]) }, repeat)),
      ...[5, pushMs].map((ms, repeat) => at('sse-express', 100, { latency: latencyOf([ms]) }, repeat)),
    ];
    expect(verdictOf('H1', runs(290))).toMatchObject({ verdict: 'accepted', upTo: 100 });
    expect(verdictOf('H1', runs(310))?.verdict).toBe('undecided');
  });

  test('leave sizes out of H2 at which the polling server was full', () => {
    const runs = (share: number) => [
      at('polling-express', 100, { serverCpuMicros: 2000 }),
      at('polling-express', 1000, { serverCpuMicros: 20_000 }),
      at('polling-express', 10_000, { serverCpuMicros: share * 5e6 }),
      at('sse-express', 100, { serverCpuMicros: 1000 }),
      at('sse-express', 1000, { serverCpuMicros: 10_000 }),
      at('sse-express', 10_000, { serverCpuMicros: 100_000 }),
    ];
    expect(verdictOf('H2', runs(0.91))).toMatchObject({ verdict: 'rejected', upTo: 1000 });
    expect(verdictOf('H2', runs(0.89))).toMatchObject({ verdict: 'rejected', upTo: 10_000 });
  });

  test('leave sizes out of H2 at which more than 1 % did not come', () => {
    const runs = (skipped: number) =>
      ['polling-express', 'sse-express'].flatMap((way) =>
        [100, 1000, 10_000].map((clients) =>
          at(way, clients, {
            serverCpuMicros: clients * (way === 'sse-express' ? 1 : 2),
            ...(clients === 10_000 && { skipped }),
          }),
        ),
      );
    expect(verdictOf('H2', runs(100))?.upTo).toBe(10_000);
    expect(verdictOf('H2', runs(101))?.upTo).toBe(1000);
  });

  test('H3 says up to how many clients, by those of which the ranges are apart', () => {
    const runs = (most: number) => [
      at('polling-express', 100, { serverCpuMicros: 1000 }),
      at('sse-express', 100, { serverCpuMicros: 500 }),
      ...[9000, 10_000].map((micros, repeat) => at('polling-express', 1000, { serverCpuMicros: micros }, repeat)),
      ...[5000, most].map((micros, repeat) => at('sse-express', 1000, { serverCpuMicros: micros }, repeat)),
    ];
    expect(verdictOf('H3', runs(8900))).toMatchObject({ verdict: 'rejected', upTo: 1000 });
    expect(verdictOf('H3', runs(9100))).toMatchObject({ verdict: 'rejected', upTo: 100 });
  });

  test('H3 is not accepted by polling that did not serve all', () => {
    const runs = (skipped: number) => [
      at('polling-express', 100, { serverCpuMicros: 500, skipped }),
      at('sse-express', 100, { serverCpuMicros: 1000 }),
    ];
    expect(verdictOf('H3', runs(1))?.verdict).toBe('accepted');
    expect(verdictOf('H3', runs(2))?.verdict).toBe('undecided');
  });
});
