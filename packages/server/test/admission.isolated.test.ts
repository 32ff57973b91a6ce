import { isStreamError } from '@ldes-live/rdf-stream';
import { check, fc, seeded } from '@ldes-live/test-support/properties';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Admission, type AdmissionSettings, peerAddress, type Slot } from '../src/push/admission.ts';
import { endingPlan, retryWaitMs } from '../src/push/endpoint.ts';

const LATEST = 'http://localhost:3000/vehicles/latest';
const ALMOST_ONE = 1 - 2 ** -53;
const ROOMY: AdmissionSettings = {
  limitConnections: 1000,
  limitConnectionsPerAddress: 1000,
  limitAcceptsPerSecond: 100_000,
  limitWaitingAccepts: 1000,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

const admissionOf = (settings: Partial<AdmissionSettings> = {}, random = () => 0) =>
  new Admission({ ...ROOMY, ...settings }, { clock: Date.now, random });

/** A slot that was given at once. */
function taken(admission: Admission, address?: string): Slot {
  const slot = admission.admit(address, LATEST);
  if (slot instanceof Promise) throw new Error('it has to wait');
  return slot;
}

/** The order in which those who wait are admitted. */
function waitInLine(admission: Admission, names: readonly string[]): string[] {
  const admitted: string[] = [];
  for (const name of names) {
    Promise.resolve(admission.admit(undefined, LATEST)).then(
      () => admitted.push(name),
      () => {},
    );
  }
  return admitted;
}

/** What the next connection is refused with. */
function refusal(admission: Admission, address?: string): Readonly<Record<string, unknown>> {
  try {
    taken(admission, address);
  } catch (error) {
    if (isStreamError(error)) return { code: error.code, ...error.details };
    throw error;
  }
  throw new Error('it was admitted');
}

/** The seconds after which one who is refused for want of room is to come back. */
const refused = (admission: Admission) => admission.replaysFull(1, '').details.retryAfterSeconds as number;

test.each([
  ['as many connections as the limit says', 'limitConnections', 'ERR_CONNECTIONS_FULL', 5, undefined],
  ['as many of one address', 'limitConnectionsPerAddress', 'ERR_CONNECTIONS_ADDRESS', 30, '192.0.2.1'],
] as const)(
  'PUSH-27 %s are admitted, and one more when one has left',
  (_name, limit, code, retryAfterSeconds, address) => {
    const admission = admissionOf({ [limit]: 3 });
    const slots = [address, address, address ?? '192.0.2.2'].map((each) => taken(admission, each));
    const expected = { code, [limit]: 3, retryAfterSeconds, latest: LATEST };
    expect([admission.size, refusal(admission, address)]).toEqual([3, expected]);
    // A slot that is left twice is left once.
    for (const slot of [slots[0], slots[0]]) slot?.release();
    expect(admission.size).toBe(2);
    taken(admission, address);
    expect(refusal(admission, address).code).toBe(code);
    if (address === undefined) return;
    // Of other addresses, and of none, there may be more; nor does who is refused for its address put off others.
    for (const other of ['192.0.2.2', undefined, undefined, undefined]) taken(admission, other);
    for (let count = 0; count < 100_000; count += 1) refusal(admission, address);
    expect(refused(admission)).toBe(5);
  },
);

test('those above the rate wait for their turn, in their order, and newcomers behind them', async () => {
  // Two at once, then twenty a second.
  const admission = admissionOf({ limitAcceptsPerSecond: 20 });
  for (let count = 0; count < 2; count += 1) taken(admission);
  const admitted = waitInLine(admission, ['a', 'b', 'c', 'd']);
  expect([admission.size, admission.waiting]).toEqual([2, 4]);
  await vi.advanceTimersByTimeAsync(49);
  expect(admitted).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(admitted).toEqual(['a']);
  // There is none left over for who comes now.
  const later = waitInLine(admission, ['e']);
  await vi.advanceTimersByTimeAsync(150);
  expect([admitted, later]).toEqual([['a', 'b', 'c', 'd'], []]);
  await vi.advanceTimersByTimeAsync(50);
  expect([later, admission.size, admission.waiting, vi.getTimerCount()]).toEqual([['e'], 7, 0, 0]);
  // Also where a turn has come of which nobody has been told yet.
  waitInLine(admission, ['f']);
  vi.setSystemTime(Date.now() + 50);
  waitInLine(admission, ['g']);
  expect(admission.waiting).toBe(2);
  admission.stop();
});

test('a storm is let in at the rate, by one timer', async () => {
  const limits = { limitAcceptsPerSecond: 4000, limitConnections: 20_000, limitWaitingAccepts: 20_000 };
  const admission = admissionOf(limits);
  for (let count = 0; count < 10_000; count += 1) void admission.admit(undefined, LATEST);
  for (const [passedMs, size] of [
    [0, 400],
    [1000, 4400],
    [1000, 8400],
    [400, 10_000],
  ] as const) {
    await vi.advanceTimersByTimeAsync(passedMs);
    expect([admission.size, admission.waiting, vi.getTimerCount()]).toEqual([
      size,
      10_000 - size,
      size < 10_000 ? 1 : 0,
    ]);
  }
});

test('past the limit on those who wait, a connection is refused', async () => {
  const admission = admissionOf({ limitAcceptsPerSecond: 10, limitWaitingAccepts: 2 });
  taken(admission);
  const admitted = waitInLine(admission, ['a', 'b']);
  const code = 'ERR_ACCEPTS_WAITING';
  // Three of five a second: those who wait, and this one.
  expect(refusal(admission)).toEqual({ code, limitWaitingAccepts: 2, retryAfterSeconds: 5, latest: LATEST });
  await vi.advanceTimersByTimeAsync(100);
  expect(admitted).toEqual(['a']);
  waitInLine(admission, ['c']);
  expect(refusal(admission).code).toBe(code);
});

test('who goes while it waits takes no turn and no slot; who goes after it leaves by its slot', async () => {
  const admission = admissionOf({ limitAcceptsPerSecond: 10, limitConnections: 3 });
  taken(admission);
  const [early, late] = [new AbortController(), new AbortController()];
  const gone = admission.admit('192.0.2.1', LATEST, early.signal);
  const waiting = admission.admit(undefined, LATEST, late.signal);
  // Who waits has a slot already: it will not be refused for want of room.
  expect(refusal(admission).code).toBe('ERR_CONNECTIONS_FULL');
  early.abort(new Error('the client has gone'));
  await expect(gone).rejects.toThrow('the client has gone');
  expect([admission.size, admission.waiting]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(100);
  const slot = await waiting;
  expect(() => admission.admit(undefined, LATEST, early.signal)).toThrow('the client has gone');
  late.abort();
  expect(admission.size).toBe(2);
  slot.release();
  expect(admission.size).toBe(1);
});

test('PUSH-33 a server that stops refuses those who wait and those who come', async () => {
  const admission = admissionOf({ limitAcceptsPerSecond: 10 });
  const slot = taken(admission);
  const waiting = expect(admission.admit(undefined, LATEST)).rejects.toMatchObject({
    code: 'ERR_STOPPING',
    details: { latest: LATEST },
  });
  admission.stop();
  await waiting;
  expect(refusal(admission)).toEqual({ code: 'ERR_STOPPING', retryAfterSeconds: 6, latest: LATEST });
  expect([admission.size, admission.waiting, vi.getTimerCount()]).toEqual([1, 0, 0]);
  slot.release();
  expect(admission.size).toBe(0);
});

test.each([0, 0.3, ALMOST_ONE])('PUSH-27 Retry-After is of whole seconds, from 5 to 600 (drawn: %d)', (random) => {
  const admission = admissionOf({ limitAcceptsPerSecond: 2 }, () => random);
  for (let before = 0; before < 400; before += 1) {
    const min = Math.min(300, 5 + before + 1);
    expect(refused(admission)).toBe(Math.floor(min * (1 + random)));
  }
});

test('PUSH-27 those who are refused together come back at no more than half of the rate, nor later than that takes', () => {
  const admission = admissionOf({ limitAcceptsPerSecond: 4000 }, seeded('together'));
  const counts = new Map<number, number>();
  for (let count = 0; count < 50_000; count += 1) {
    const second = refused(admission);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(2000);
  expect(Math.max(...counts.keys())).toBeLessThanOrEqual(60);
});

test('PUSH-27 those who are refused again and again, since there is no room, come at no more than half of the accept rate', () => {
  const admission = admissionOf({ limitAcceptsPerSecond: 1000 }, seeded('again'));
  // By the second in which they come.
  const comers = new Map<number, number>([[0, 30_000]]);
  const arrivals: number[] = [];
  for (let second = 0; second < 400; second += 1) {
    const count = comers.get(second) ?? 0;
    arrivals.push(count);
    for (let comer = 0; comer < count; comer += 1) {
      const at = second + refused(admission);
      comers.set(at, (comers.get(at) ?? 0) + 1);
    }
    vi.setSystemTime(Date.now() + 1000);
  }
  const [, ...later] = arrivals;
  expect(Math.max(...later)).toBeLessThanOrEqual(1000);
  const steady = later.slice(200);
  expect(steady.reduce((sum, count) => sum + count, 0) / steady.length).toBeLessThanOrEqual(500);
});

test.each([
  [0, 5],
  [49, 6],
  [1000, 25],
])('PUSH-27 where %d wait, they are served before one who is refused: %d s', (ahead, seconds) => {
  const admission = admissionOf({ limitAcceptsPerSecond: 100, limitConnections: 9999 });
  // A tenth of a second's at once.
  waitInLine(admission, Array(10 + ahead).fill(''));
  expect([admission.waiting, refused(admission)]).toEqual([ahead, seconds]);
  admission.stop();
});

test('a crowd that has come back is forgotten', () => {
  const admission = admissionOf({ limitAcceptsPerSecond: 100 });
  for (let count = 0; count < 5000; count += 1) refused(admission);
  for (const [passedMs, seconds] of [
    [0, 105],
    [50_000, 55],
    // A clock that steps back.
    [-50_000, 55],
    [1_000_000, 5],
  ] as const) {
    vi.setSystemTime(Date.now() + passedMs);
    expect(refused(admission)).toBe(seconds);
  }
});

test.each([
  ['few readers are spread over the configured wait', [1000, 1, 4000], [1000, 2000]],
  ['as many as half a second takes are too', [1000, 2000, 4000], [1000, 2000]],
  ['more are spread over twice the time that it takes to take them on', [1000, 10_000, 4000], [1000, 6000]],
  ['a long wait is not made longer by a crowd that it suffices for', [20_000, 10_000, 4000], [20_000, 40_000]],
  ['nobody waits longer than a minute for the sake of the crowd', [1000, 1_000_000, 100], [1000, 60_000]],
  ['a wait that is configured to be longer than that stays random', [50_000, 1_000_000, 100], [50_000, 100_000]],
  ['the wait is of whole milliseconds', [1001, 0, 1], [1001, 2002]],
] as const)('PUSH-10 %s', (_name, [retryMs, connections, limitAcceptsPerSecond], [min, max]) => {
  const waits = [0, 0.25, ALMOST_ONE].map((random) =>
    retryWaitMs({ retryMs, limitAcceptsPerSecond }, connections, random),
  );
  expect(waits).toEqual([min, Math.round(min + (max - min) / 4), max]);
});

test.each([
  [0, 8000, 0],
  [1, 8000, 10],
  [799, 8000, 7990],
  [5000, 8000, 8000],
  [5000, 0, 0],
])('PUSH-32 %d streams with a grace of %d ms end within %d ms, and evenly', (connections, graceMs, durationMs) => {
  const endedBy = endingPlan(connections, graceMs);
  expect([durationMs, 1e9].map(endedBy)).toEqual([connections, connections]);
  if (durationMs === 0) return;
  expect([-5, durationMs / 2].map(endedBy)).toEqual([0, Math.floor(connections / 2)]);
  expect(endedBy(durationMs - 1)).toBe(connections - 1);
});

function counted(remoteAddress: string | undefined, forwarded?: string): string | undefined {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return peerAddress({ socket: { remoteAddress }, headers });
}

const LOCAL = `127.0.0.1 127.0.0.2 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 169.254.1.1 100.64.0.1
  100.127.255.255 0.0.0.0 ::1 :: ::ffff:127.0.0.1 ::ffff:a00:1 fd00::1 fc00::1 fe80::1%eth0 febf::1`.split(/\s+/);
const BESIDE_LOCAL = '172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.0 128.0.0.1 11.0.0.0'.split(' ');

test.each([
  ...[...BESIDE_LOCAL, '203.0.113.7'].map((address) => [address, address]),
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:CB00:7107', '203.0.113.7'],
  ['64:ff9b::cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001::1.2.3.4', '2001:0:0:0::/64'],
  ['fbff::1', 'fbff:0:0:0::/64'],
  ['fec0::1', 'fec0:0:0:0::/64'],
] as [string, string][])('PUSH-28 %s is public, and counts as %s whatever header fields say', (remote, expected) => {
  expect(counted(remote)).toBe(expected);
  expect(counted(remote, '198.51.100.1')).toBe(expected);
});

// A Unix socket has no address.
test.each([undefined, ...LOCAL])(
  'PUSH-28 %s is local: the last public address of X-Forwarded-For counts, and without one nothing does',
  (remote) => {
    expect(counted(remote)).toBeUndefined();
    expect(counted(remote, '198.51.100.1, 203.0.113.7,10.0.0.1 , fd00::1')).toBe('203.0.113.7');
    expect(counted(remote, '10.0.0.1')).toBeUndefined();
  },
);

const FIELDS: [string, string | undefined][] = [
  ['198.51.100.1:49152', '198.51.100.1'],
  ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['[2001:db8::1]', '2001:db8:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::ffff:198.51.100.1', '198.51.100.1'],
  // What is no address: behind it nothing is believed.
  ...['unknown', '', 'x, ', '999.1.1.1', '1.2.3', '2001:db8::1:443:', '[::1', '1.2.3.4:', '01.2.3.4'].map(
    (field): [string, undefined] => [field, undefined],
  ),
];

test.each(FIELDS)('PUSH-28 a proxy may write "%s", which counts as %s', (field, expected) => {
  expect(counted('127.0.0.1', `192.0.2.1, ${field}`)).toBe(expected);
});

test('PUSH-28 what a public client writes into the field does not change what a proxy is believed, nor make it fail', () => {
  const piece = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom(',', ':', '[', ']', '%', '::', '.'));
  const written = fc.array(piece).map((all) => all.join(''));
  check(
    fc.property(fc.option(piece, { nil: undefined }), written, (remote, forged) => {
      expect((counted(remote, forged) ?? '').length).toBeLessThanOrEqual('ffff:ffff:ffff:ffff::/64'.length);
      expect(counted('172.18.0.2', `${forged}, 203.0.113.7`)).toBe('203.0.113.7');
    }),
  );
});
