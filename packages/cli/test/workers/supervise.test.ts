import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { type SupervisedWorker, supervise } from '../../src/serve/workers/supervise.ts';

/** Workers that live and die as a test says. */
function scripted(count: number) {
  const ending = new AbortController();
  const time = { nowMs: 0 };
  const waits: number[] = [];
  const deaths: string[] = [];
  const workers: { die: (how: string) => void; listens: () => void; refuse: (error: Error) => void }[] = [];
  const start = (): SupervisedWorker => {
    let [die, listens, refuse]: [(how: string) => void, () => void, (error: Error) => void] = [
      () => {},
      () => {},
      () => {},
    ];
    const ended = new Promise<string>((resolve) => {
      die = resolve;
    });
    const listening = new Promise<void>((resolve, reject) => {
      listens = resolve;
      refuse = reject;
    });
    workers.push({ die, listens, refuse });
    return { ended, listening };
  };
  const supervision = supervise({
    count,
    start,
    onDeath: (how) => deaths.push(how),
    signal: ending.signal,
    clock: () => time.nowMs,
    sleep: async (durationMs) => {
      waits.push(durationMs);
    },
  });
  return { supervision, ending, time, waits, deaths, workers };
}

test('PUSH-52 one that dies is replaced, with a wait when it died young', async () => {
  const { supervision, ending, time, waits, deaths, workers } = scripted(2);
  expect(workers).toHaveLength(2);
  for (const worker of workers) worker.listens();
  await supervision.listening;
  time.nowMs = 10_000;
  workers[0]?.die('by SIGKILL');
  await eventually(() => expect(workers).toHaveLength(3));
  workers[2]?.die('with exit code 1');
  await eventually(() => expect(workers).toHaveLength(4));
  time.nowMs += 9999;
  workers[3]?.die('with exit code 1');
  await eventually(() => expect(workers).toHaveLength(5));
  time.nowMs += 10_000;
  workers[4]?.die('by SIGSEGV');
  await eventually(() => expect(workers).toHaveLength(6));
  expect(waits).toEqual([0, 200, 400, 0]);
  expect(deaths).toEqual(['by SIGKILL', 'with exit code 1', 'with exit code 1', 'by SIGSEGV']);
  ending.abort();
  workers[1]?.die('with exit code 0');
  workers[5]?.die('with exit code 0');
  await supervision.ended;
  expect(workers).toHaveLength(6);
  expect(deaths).toHaveLength(4);
});

test('what keeps the first from listening is told', async () => {
  const { supervision, workers } = scripted(2);
  workers[0]?.listens();
  workers[1]?.refuse(new Error('EADDRINUSE'));
  await expect(supervision.listening).rejects.toThrow('EADDRINUSE');
});
