import { setImmediate } from 'node:timers/promises';
import { HEARTBEAT_MS, isStreamError } from '@ldes-live/rdf-stream';
import Fastify from 'fastify';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { liveStreams } from '../src/index.ts';
import { Admission, type AdmissionSettings, type Slot } from '../src/push/admission.ts';
import { listening } from './push-server.ts';
import { PUBLIC_URL, testServer } from './test-server.ts';
import { aheadOfWorker } from './workers/worker-world.ts';

const LATEST = 'http://localhost:3000/vehicles/latest';
const ROOMY: AdmissionSettings = {
  limitConnections: 1000,
  limitConnectionsPerAddress: 1000,
  limitAcceptsPerSecond: 100_000,
  limitWaitingAccepts: 1000,
};

type Faked = NonNullable<NonNullable<Parameters<typeof vi.useFakeTimers>[0]>['toFake']>;

/** Puts timers of the test in the place of some of the system's. */
function fake(...toFake: Faked): void {
  vi.useFakeTimers({ toFake });
  onTestFinished(() => void vi.useRealTimers());
}

const admissionOf = (settings: Partial<AdmissionSettings> = {}, random = () => 0) =>
  new Admission({ ...ROOMY, ...settings }, { clock: Date.now, random });

/** A place that was given at once. */
function taken(admission: Admission, address?: string): Slot {
  const place = admission.admit(address, LATEST);
  if (place instanceof Promise) throw new Error('it has to wait');
  return place;
}

/** The order in which those who wait are admitted. */
function waitInLine(admission: Admission, names: readonly string[]): string[] {
  const admitted: string[] = [];
  for (const name of names) Promise.resolve(admission.admit(undefined, LATEST)).then(() => admitted.push(name));
  return admitted;
}

function refusal(attempt: () => unknown): { readonly code: string; readonly [detail: string]: unknown } {
  try {
    attempt();
  } catch (error) {
    if (isStreamError(error)) return { code: error.code, ...error.details };
    throw error;
  }
  throw new Error('it was admitted');
}

describe('admission', () => {
  beforeEach(() => fake('setTimeout', 'clearTimeout', 'Date'));

  test('PUSH-27 as many connections are admitted as the limit says, and one more when one has left', () => {
    const admission = admissionOf({ limitConnections: 3 });
    const [first] = [taken(admission), taken(admission, '192.0.2.1'), taken(admission, '192.0.2.2')];
    expect(admission.size).toBe(3);
    expect(refusal(() => taken(admission))).toEqual({
      code: 'ERR_CONNECTIONS_FULL',
      limitConnections: 3,
      retryAfterSeconds: 5,
      latest: LATEST,
    });
    first.release();
    expect(admission.size).toBe(2);
    taken(admission);
    expect(refusal(() => taken(admission)).code).toBe('ERR_CONNECTIONS_FULL');
  });

  test('PUSH-27 as many connections of one address are admitted as its limit says, and any number without one', () => {
    const admission = admissionOf({ limitConnectionsPerAddress: 2 });
    const place = taken(admission, '192.0.2.1');
    taken(admission, '192.0.2.1');
    expect(refusal(() => taken(admission, '192.0.2.1'))).toEqual({
      code: 'ERR_CONNECTIONS_ADDRESS',
      limitConnectionsPerAddress: 2,
      retryAfterSeconds: 30,
      latest: LATEST,
    });
    taken(admission, '192.0.2.2');
    for (let count = 0; count < 10; count += 1) taken(admission);
    place.release();
    taken(admission, '192.0.2.1');
    expect(refusal(() => taken(admission, '192.0.2.1')).code).toBe('ERR_CONNECTIONS_ADDRESS');
  });

  test('PUSH-27 a place that is left twice is left once', () => {
    const admission = admissionOf({ limitConnections: 2 });
    const place = taken(admission, '192.0.2.1');
    taken(admission, '192.0.2.1');
    place.release();
    place.release();
    expect(admission.size).toBe(1);
    taken(admission, '192.0.2.1');
    expect(refusal(() => taken(admission)).code).toBe('ERR_CONNECTIONS_FULL');
  });

  test('PUSH-30 those above the rate wait for their turn, in their order, and newcomers behind them', async () => {
    // Two at once, then twenty a second.
    const admission = admissionOf({ limitAcceptsPerSecond: 20 });
    taken(admission);
    taken(admission);
    const admitted = waitInLine(admission, ['a', 'b', 'c', 'd']);
    expect([admission.size, admission.waiting]).toEqual([2, 4]);
    await vi.advanceTimersByTimeAsync(49);
    expect(admitted).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(admitted).toEqual(['a']);
    // There is none left over for who comes now.
    const later = waitInLine(admission, ['e']);
    await vi.advanceTimersByTimeAsync(150);
    expect([...admitted, ...later]).toEqual(['a', 'b', 'c', 'd']);
    await vi.advanceTimersByTimeAsync(50);
    expect(later).toEqual(['e']);
    expect([admission.size, admission.waiting]).toEqual([7, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('PUSH-30 a storm is let in at the rate, by one timer', async () => {
    const admission = admissionOf({
      limitAcceptsPerSecond: 4000,
      limitConnections: 20_000,
      limitWaitingAccepts: 20_000,
    });
    for (let count = 0; count < 10_000; count += 1) void admission.admit(undefined, LATEST);
    expect([admission.size, admission.waiting]).toEqual([400, 9600]);
    for (let second = 1; second <= 2; second += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      expect(vi.getTimerCount()).toBe(1);
      expect(admission.size).toBe(400 + second * 4000);
    }
    await vi.advanceTimersByTimeAsync(400);
    expect([admission.size, admission.waiting]).toEqual([10_000, 0]);
  });

  test('PUSH-30 past the limit on those who wait, a connection is refused', async () => {
    const admission = admissionOf({ limitAcceptsPerSecond: 10, limitWaitingAccepts: 2 });
    taken(admission);
    const admitted = waitInLine(admission, ['a', 'b']);
    expect(refusal(() => admission.admit(undefined, LATEST))).toEqual({
      code: 'ERR_ACCEPTS_WAITING',
      limitWaitingAccepts: 2,
      // Three of five a second: those who wait, and this one.
      retryAfterSeconds: 5,
      latest: LATEST,
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(admitted).toEqual(['a']);
    expect(waitInLine(admission, ['c'])).toEqual([]);
    expect(refusal(() => admission.admit(undefined, LATEST)).code).toBe('ERR_ACCEPTS_WAITING');
  });

  test('PUSH-30 who goes while it waits takes no turn, and no place', async () => {
    const admission = admissionOf({ limitAcceptsPerSecond: 10, limitConnections: 3 });
    taken(admission);
    const client = new AbortController();
    const gone = admission.admit('192.0.2.1', LATEST, client.signal) as Promise<Slot>;
    const admitted = waitInLine(admission, ['b']);
    // Who waits has a place already: it will not be refused for want of room.
    expect(refusal(() => admission.admit(undefined, LATEST)).code).toBe('ERR_CONNECTIONS_FULL');
    client.abort(new Error('the client has gone'));
    await expect(gone).rejects.toThrow('the client has gone');
    expect([admission.size, admission.waiting]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(100);
    expect(admitted).toEqual(['b']);
    expect(() => admission.admit(undefined, LATEST, client.signal)).toThrow('the client has gone');
  });

  test('PUSH-30 a client that goes after its turn changes nothing here: its place is left when it is closed', async () => {
    const admission = admissionOf({ limitAcceptsPerSecond: 10 });
    taken(admission);
    const client = new AbortController();
    const waiting = admission.admit(undefined, LATEST, client.signal);
    await vi.advanceTimersByTimeAsync(100);
    const place = await waiting;
    client.abort();
    expect(admission.size).toBe(2);
    place.release();
    expect(admission.size).toBe(1);
  });

  test('PUSH-31 the more are refused, the later they are asked to come back', () => {
    const latest = 1 - 2 ** -53;
    const admission = admissionOf({ limitConnections: 1, limitAcceptsPerSecond: 100 }, () => latest);
    taken(admission);
    const wait = () => refusal(() => taken(admission)).retryAfterSeconds as number;
    const waits = Array.from({ length: 1000 }, wait);
    expect(waits[0]).toBe(10);
    expect(waits.at(-1)).toBe(50);
  });

  test('PUSH-31 who is refused for its address does not put off the others', () => {
    const admission = admissionOf({ limitConnectionsPerAddress: 1, limitConnections: 2, limitAcceptsPerSecond: 20 });
    taken(admission, '192.0.2.1');
    for (let count = 0; count < 1000; count += 1) refusal(() => taken(admission, '192.0.2.1'));
    taken(admission, '192.0.2.2');
    expect(refusal(() => taken(admission)).retryAfterSeconds).toBe(5);
  });

  test('PUSH-33 a server that stops refuses those who wait and those who come', async () => {
    const admission = admissionOf({ limitAcceptsPerSecond: 10 });
    const place = taken(admission);
    const waiting = admission.admit(undefined, LATEST) as Promise<Slot>;
    const refused = expect(waiting).rejects.toMatchObject({ code: 'ERR_STOPPING', details: { latest: LATEST } });
    admission.stop();
    await refused;
    expect(refusal(() => admission.admit(undefined, LATEST))).toEqual({
      code: 'ERR_STOPPING',
      retryAfterSeconds: 6,
      latest: LATEST,
    });
    expect([admission.size, admission.waiting, vi.getTimerCount()]).toEqual([1, 0, 0]);
    place.release();
    expect(admission.size).toBe(0);
  });
});

test('PUSH-8 something is sent every 15 seconds unless it is configured', async () => {
  expect(HEARTBEAT_MS).toBe(15_000);
  fake('setInterval', 'clearInterval', 'performance');
  const server = await listening();
  const reader = await server.read();
  // Not waitFor, which would let the faked time pass.
  const comments = async (least: number) => {
    while (reader.comments.length < least) await setImmediate();
    return reader.comments.length;
  };
  let heard = await comments(1);
  for (let passed = 0; passed < 4; passed += 1) {
    vi.advanceTimersByTime(15_000);
    heard = await comments(heard + 1);
  }
  // Nor much more often than that.
  expect(heard).toBeLessThanOrEqual(6);
  // A server that stops waits by them.
  vi.useRealTimers();
});

test('PUSH-64 a reader who knows more than a worker waits for 5 s at most', async () => {
  fake('setTimeout', 'clearTimeout');
  const world = await aheadOfWorker((cursor) => [`?from=${cursor}`, {}]);
  let isAnswered = false;
  void world.reading.then(() => {
    isAnswered = true;
  });
  vi.advanceTimersByTime(4999);
  // A request of which nothing waits is answered after it, and before.
  expect((await fetch(`${world.workerUrl}/vehicles/events`, { method: 'HEAD' })).status).toBe(200);
  expect(isAnswered).toBe(false);
  vi.advanceTimersByTime(1);
  const reader = await world.reading;
  vi.useRealTimers();
  await reader.count(1);
  expect(reader.events[0]).toMatchObject({ event: 'gap', id: `${world.log.head.cursor.epoch}-3` });
});

test('streams that cannot be published leave nothing behind that goes on', async () => {
  const made = vi.spyOn(globalThis, 'setInterval');
  const cleared = vi.spyOn(globalThis, 'clearInterval');
  onTestFinished(() => void vi.restoreAllMocks());
  const { description, log } = await testServer();
  made.mockClear();
  const unsubscribed = vi.fn();
  const subscribed = vi.spyOn(log, 'subscribe').mockReturnValue(unsubscribed);
  const app = Fastify();
  app.get('/health', async () => 'of the app');
  const streams = [{ description, log }];
  await expect(app.register(liveStreams, { publicUrl: PUBLIC_URL, streams })).rejects.toThrow('/health');
  expect(made).toHaveBeenCalled();
  for (const { value } of made.mock.results) expect(cleared).toHaveBeenCalledWith(value);
  expect(unsubscribed).toHaveBeenCalledTimes(subscribed.mock.calls.length);
});
