import { setImmediate as turn } from 'node:timers/promises';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import type { MqttEnvironment } from '../../src/mqtt/connection.ts';
import { follow, followed, holdStoring, scriptedBroker } from './following.ts';

test.each([
  ['ann:p%40ss%', {}, 'ann', 'p%40ss%'],
  ['ann:p%40', {}, 'ann', 'p@'],
  ['ann:x', { username: 'bob', password: 'y' }, 'bob', 'y'],
])('MQTT-2 user and password of %s and %j are sent, and not shown', async (user, options, username, password) => {
  const broker = await scriptedBroker(5);
  const following = follow({ url: broker.url.replace('//', `//${user}@`), ...options });
  const connect = await (await broker.connection()).next('connect');
  expect(connect).toMatchObject({ username, password: Buffer.from(password) });
  expect(following.source.origin).toBe(broker.url);
});

test.each([
  ['mqtts://broker.example', { host: 'broker.example', port: 8883, isSecure: true }],
  ['mqtt://u:p@[::1]/', { host: '::1', port: 1883, isSecure: false, shown: 'mqtt://[::1]' }],
])('%s says where the broker is', async (url, address) => {
  const asked: object[] = [];
  follow({ url }, { openSocket: (...[at]) => Promise.reject(asked.push(at)) });
  await until(() => asked.length > 0);
  expect(asked[0]).toMatchObject(address);
});

test('MQTT-4 a broker that has forgotten the session is asked for the topics again, and that is told', async () => {
  const { broker, following, side } = await followed(5);
  await side.deliver('a', { value: 1 });
  side.cut();
  const second = await broker.accepted();
  // Of the new session, although it looks like the one before.
  second.publish('a', { value: 2 }, { messageId: 2 });
  second.publish('a', { value: 1 }, { messageId: 1, dup: true });
  await second.acknowledged(2);
  expect(following.latest.batches).toHaveLength(3);
  expect(following.source.health().errors).toMatchObject({ ERR_MQTT_SESSION_LOST: 1 });
});

test('MQTT-9 topics that were refused are asked for again at the next connection', async () => {
  const broker = await scriptedBroker(5);
  const following = follow({ url: broker.url, topics: [{ filter: 'sensors/+' }, { filter: 'secret/#' }] });
  const first = await broker.accepted({}, false);
  await first.next('subscribe');
  first.send({ cmd: 'suback', messageId: 1, granted: [1, 0x87] });
  await first.deliver('a', { value: 1 });
  expect(following.source.health()).toMatchObject({ state: 'ok', errors: { ERR_MQTT_SUBSCRIPTION_REFUSED: 1 } });
  first.cut();
  await broker.accepted({ sessionPresent: true });
});

test('health tells of connections, batches, findings and the newest time, and forgets nothing', async () => {
  const broker = await scriptedBroker(5);
  const { source, events } = follow({ url: broker.url, reconnect: { baseMs: 60_000, maxMs: 60_000 } });
  expect(source.health()).toMatchObject({ state: 'starting', polls: { good: 0, bad: 0 } });
  expect(source.schedule()).toEqual({ kind: 'unknown' });
  const side = await broker.accepted();
  await until(() => source.health().state === 'ok');
  for (const _ of [1, 2]) await side.deliver('a', { value: 1, at: '2026-01-01T00:00:00Z' });
  await until(() => source.health().polls.good === 3);
  const healthy = { state: 'ok', origin: broker.url, dataAt: '2026-01-01T00:00:00.000Z', findings: { unchanged: 1 } };
  expect(source.health()).toMatchObject(healthy);
  side.send({ cmd: 'disconnect', reasonCode: 0x8b });
  await until(() => source.health().state === 'failing');
  expect(source.health()).toMatchObject({
    lastError: { code: 'ERR_MQTT_DISCONNECTED', message: expect.stringContaining('it is shutting down') },
    polls: { good: 3, bad: 1 },
    findings: { unchanged: 1 },
  });
  expect(Date.parse(source.health().nextPollAt as string)).toBeGreaterThan(Date.now() + 20_000);
  expect(events.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted', 'failed']);
});

test.each([
  [1, [1, 1, 1]],
  [2, [2, 1]],
])('MQTT-5 no more than limitBatchMessages (%s) are stored together', async (limitBatchMessages, sizes) => {
  const { following, side } = await followed(5, { limits: { limitBatchMessages } });
  const held = holdStoring(following);
  side.publish('first', { value: 0 });
  await held.asked;
  for (const name of ['a', 'b', 'c']) side.publish(name, { value: 1 });
  for (let turns = 0; turns < 50; turns += 1) await turn();
  held.release();
  await side.acknowledged(4);
  expect(following.latest.batches.slice(1).map(({ length }) => length)).toEqual(sizes);
});

test('MQTT-5 a message at QoS 0 is published, and there is nothing to acknowledge', async () => {
  const { following, side } = await followed(5, { topics: [{ filter: 'sensors/+', qos: 0 }] });
  side.send({ cmd: 'publish', topic: 'sensors/a', payload: '{"value":1}', qos: 0, dup: false, retain: false });
  await until(() => following.latest.size === 1);
  following.stop.abort();
  await side.next('disconnect');
});

const NOBODY = 'mqtt://127.0.0.1:1';
const never: MqttEnvironment['openSocket'] = (_address, _tls, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test.each([
  ['UNREACHABLE', 'nobody is there', {}, { reason: 'ECONNREFUSED' }],
  ['TIMEOUT', 'no way opens in limitConnectMs', { openSocket: never }, { phase: 'opening', limitMs: 99 }],
])('MQTT-9 it is ERR_MQTT_%s where %s', async (code, _what, environment, details) => {
  const { events } = follow({ url: NOBODY, limits: { limitConnectMs: 99 } }, environment);
  await until(() => events.length > 1);
  expect(events[0]).toMatchObject({ kind: 'failed', error: { code: `ERR_MQTT_${code}`, details } });
});

test('MQTT-5 told to end while it connects or waits, it ends at once', async () => {
  const connecting = follow({ url: NOBODY }, { openSocket: never });
  const waiting = follow({ url: NOBODY, reconnect: { baseMs: 60_000, maxMs: 60_000 } });
  await until(() => waiting.events.length > 0);
  const silent = await scriptedBroker(5);
  const greeting = follow({ url: silent.url });
  await (await silent.connection()).next('connect');
  for (const { stop, ended } of [connecting, waiting, greeting]) {
    stop.abort();
    await ended;
  }
});

test('whoever watches cannot stop what is watched', async () => {
  const { following, side } = await followed(5);
  await until(() => following.source.health().polls.good === 1);
  following.source.onPoll(() => {
    throw new Error('watched badly');
  });
  await side.deliver('a', { value: 1 });
  await until(() => following.source.health().errors.ERR_FEED_UNEXPECTED === 1);
  expect(following.source.health().state).toBe('ok');
});
