import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { malBucket } from '../../src/http/live-queries.ts';
import { AnswersOnTheirWay, LiveReader } from '../../src/http/reader.ts';

/** A reader of a response whose bytes are taken when the test says so. */
function held(onItsWay = new AnswersOnTheirWay({ limitAnswerBytes: 1_000_000 })) {
  const line = new PassThrough({ highWaterMark: 1, encoding: 'utf8' });
  const reader = new LiveReader(line, { limitQueueBytes: 20, limitStallMs: 1000 }, onItsWay, 1500);
  const offer = (...events: string[]) => {
    for (const event of events) reader.enqueue(Buffer.from(event));
  };
  let text = '';
  /** Takes all that waits, and tells all that was taken. */
  const taken = async () => {
    for (let chunk = line.read(); chunk !== null; chunk = line.read()) {
      text += chunk;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return text;
  };
  return { line, reader, offer, taken };
}

const OPENING = 'retry: 1500\n:\n\n';

test('QUERY-77 as much waits as may, beside the event that is being sent', async () => {
  const { line, offer, taken } = held();
  offer('first, which is longer than what may wait', '0123456789', '0123456789');
  expect(await taken()).toBe(`${OPENING}first, which is longer than what may wait01234567890123456789`);
  expect(line.writableEnded).toBe(false);
});

test('QUERY-77 past that what waits is dropped, what is being sent goes on to its end, and the reason is the last', async () => {
  const { line, offer, taken } = held();
  offer('first', '0123456789', '0123456789', 'x');
  expect(await taken()).toMatch(
    /^retry: 1500\n:\n\nfirstevent: error\nretry: 1500\ndata: \{.*"code":"ERR_SUBSCRIBER_SLOW".*\}\n\n$/,
  );
  expect(line.writableEnded).toBe(true);
});

test('QUERY-77 who takes nothing for too long is cut, and not before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { line, offer, taken } = held();
  offer('first');
  vi.advanceTimersByTime(999);
  await taken();
  offer('second');
  vi.advanceTimersByTime(999);
  expect(line.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(line.destroyed).toBe(true);
});

test('QUERY-111 past four answers of the largest size, those that began first are cut', async () => {
  const onItsWay = new AnswersOnTheirWay({ limitAnswerBytes: 100_000 });
  const events = Array.from({ length: 6 }, () => Buffer.alloc(100_000, 'x'));
  const [first, alike, ...others] = [0, 0, 1, 2, 3].map((event) => {
    const one = held(onItsWay);
    one.reader.enqueue(events[event]!);
    return one;
  });
  const cut = () => [first, alike, ...others].map((one) => one?.line.destroyed);
  // One event takes its room once, whoever gets it.
  expect(cut()).toEqual([false, false, false, false, false]);
  await others[0]?.taken();
  const fifth = held(onItsWay);
  fifth.reader.enqueue(events[4]!);
  expect(cut()).toEqual([false, false, false, false, false]);
  held(onItsWay).reader.enqueue(events[5]!);
  expect([...cut(), fifth.line.destroyed]).toEqual([true, true, false, false, false, false]);
});

test('QUERY-73 there is a beat while nothing is written, and none into an event', async () => {
  const { line, offer, reader, taken } = held();
  await taken();
  reader.beat();
  await taken();
  offer('event');
  reader.beat();
  expect(await taken()).toBe(`${OPENING}:\n\nevent`);
  reader.end(Buffer.from('last'));
  reader.beat();
  expect(await taken()).toBe(`${OPENING}:\n\neventlast`);
  expect(line.writableEnded).toBe(true);
});

test('QUERY-74 a MAL goes by the power of two below it, and not below the limit', () => {
  const buckets = [0.5, 0.7, 1, 1.9, 2, 3.999, 4, 60, 3600].map((mal) => malBucket(mal, 500));
  expect(buckets).toEqual([0.5, 0.5, 1, 1, 2, 2, 4, 32, 2048]);
  // The limit is no power of two: nothing goes below it, nor is kept waiting longer than it asked for.
  expect([0.3, 0.4, 0.5].map((mal) => malBucket(mal, 300))).toEqual([0.3, 0.3, 0.5]);
  expect(() => malBucket(0.499, 500)).toThrow(expect.objectContaining({ code: 'ERR_QUERY_OPTION' }));
});
