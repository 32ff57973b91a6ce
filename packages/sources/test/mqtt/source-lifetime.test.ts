import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { MqttEnvironment } from '../../src/mqtt/connection.ts';
import { follow, followed, holdStoring } from './following.ts';
import { scriptedBroker } from './scripted-broker.ts';

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
])('MQTT-1 %s says where the broker is', async (url, address) => {
  const asked: object[] = [];
  const following = follow({ url }, { openSocket: (...[at]) => Promise.reject(asked.push(at)) });
  await following.until(() => asked.length > 0);
  expect(asked[0]).toMatchObject(address);
});

test('MQTT-23 a broker that has forgotten the session is asked for the topics again, and that is told', async () => {
  const { broker, following, side: first } = await followed(5);
  first.publish('a', { value: 1 }, { messageId: 1 });
  await first.acknowledged(1);
  first.cut();
  const second = await broker.connection();
  await second.accept({ sessionPresent: false });
  // Of the new session, although it looks like the one before.
  second.publish('a', { value: 2 }, { messageId: 2 });
  second.publish('a', { value: 1 }, { messageId: 1, dup: true });
  await second.acknowledged(2);
  expect(following.latest.batches).toHaveLength(3);
  expect(following.source.health().errors).toMatchObject({ ERR_MQTT_SESSION_LOST: 1 });
});

test('MQTT-8 topics that were refused are asked for again at the next connection', async () => {
  const broker = await scriptedBroker(5);
  const following = follow({ url: broker.url, topics: [{ filter: 'sensors/+' }, { filter: 'secret/#' }] });
  const first = await broker.connection();
  await first.next('connect');
  first.send({ cmd: 'connack', sessionPresent: false, reasonCode: 0 });
  await first.next('subscribe');
  first.send({ cmd: 'suback', messageId: 1, granted: [1, 0x87] });
  first.publish('a', { value: 1 }, { messageId: 1 });
  await first.acknowledged(1);
  expect(following.source.health()).toMatchObject({ state: 'ok', errors: { ERR_MQTT_SUBSCRIPTION_REFUSED: 1 } });
  first.cut();
  const second = await broker.connection();
  await second.accept({ sessionPresent: true });
});

test('MQTT-20 health tells of connections, batches, findings and the newest time, and forgets nothing', async () => {
  const broker = await scriptedBroker(5);
  const following = follow({ url: broker.url, reconnect: { baseMs: 60_000, maxMs: 60_000 } });
  expect(following.source.health()).toMatchObject({ state: 'starting', polls: { good: 0, bad: 0 } });
  expect(following.source.schedule()).toEqual({ kind: 'unknown' });
  const side = await broker.connection();
  await side.accept();
  await following.until(() => following.source.health().state === 'ok');
  side.publish('a', { value: 1, at: '2026-01-01T00:00:00Z' }, { messageId: 1 });
  await side.acknowledged(1);
  side.publish('a', { value: 1, at: '2026-01-01T00:00:00Z' }, { messageId: 2 });
  await side.acknowledged(1);
  await following.until(() => following.source.health().polls.good === 3);
  const healthy = { state: 'ok', origin: broker.url, dataAt: '2026-01-01T00:00:00.000Z', findings: { unchanged: 1 } };
  expect(following.source.health()).toMatchObject(healthy);
  side.send({ cmd: 'disconnect', reasonCode: 0x8b });
  await following.until(() => following.source.health().state === 'failing');
  const { nextPollAt, lastError, polls, findings } = following.source.health();
  expect({ lastError, polls, findings }).toMatchObject({
    lastError: { code: 'ERR_MQTT_DISCONNECTED', message: expect.stringContaining('it is shutting down') },
    polls: { good: 3, bad: 1 },
    findings: { unchanged: 1 },
  });
  expect(Date.parse(nextPollAt as string)).toBeGreaterThan(Date.now() + 20_000);
  const kinds = following.events.map(({ kind }) => kind);
  expect(kinds).toEqual(['accepted', 'accepted', 'accepted', 'failed']);
});

test('MQTT-9 nobody at the address is an error of its own', async () => {
  const following = follow({ url: 'mqtt://127.0.0.1:1' });
  await following.until(() => following.events.length > 2);
  const error = { code: 'ERR_MQTT_UNREACHABLE', details: { reason: 'ECONNREFUSED' } };
  expect(following.events[0]).toMatchObject({ kind: 'failed', error });
});

test.each([
  [1, [1, 1, 1]],
  [2, [2, 1]],
])('MQTT-6 no more than limitBatchMessages (%s) are stored together', async (limitBatchMessages, sizes) => {
  const { following, side } = await followed(5, { limits: { limitBatchMessages } });
  const held = holdStoring(following);
  side.publish('first', { value: 0 }, { messageId: 1 });
  await held.asked;
  for (const [index, name] of ['a', 'b', 'c'].entries()) side.publish(name, { value: 1 }, { messageId: index + 2 });
  for (let turns = 0; turns < 50; turns += 1) await turn();
  held.release();
  await side.acknowledged(4);
  expect(following.latest.batches.slice(1).map(({ length }) => length)).toEqual(sizes);
});

test('MQTT-5 a message at QoS 0 is published, and there is nothing to acknowledge', async () => {
  const { following, side } = await followed(5, { topics: [{ filter: 'sensors/+', qos: 0 }] });
  side.send({ cmd: 'publish', topic: 'sensors/a', payload: '{"value":1}', qos: 0, dup: false, retain: false });
  await following.until(() => following.latest.size === 1);
  following.stop.abort();
  await side.next('disconnect');
});

const never: MqttEnvironment['openSocket'] = (_address, _tls, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('MQTT-9 a way to the broker that does not open in limitConnectMs is given up', async () => {
  const following = follow({ url: 'mqtt://127.0.0.1:1', limits: { limitConnectMs: 5 } }, { openSocket: never });
  await following.until(() => following.events.length > 0);
  expect(following.events[0]).toMatchObject({
    error: { code: 'ERR_MQTT_TIMEOUT', details: { phase: 'opening', limitMs: 5 } },
  });
});

test('MQTT-21 told to end while it connects or waits, it ends at once', async () => {
  const connecting = follow({ url: 'mqtt://127.0.0.1:1' }, { openSocket: never });
  connecting.stop.abort();
  await connecting.ended;
  const waiting = follow({ url: 'mqtt://127.0.0.1:1', reconnect: { baseMs: 60_000, maxMs: 60_000 } });
  await waiting.until(() => waiting.events.length > 0);
  waiting.stop.abort();
  await waiting.ended;
  const silent = await scriptedBroker(5);
  const greeting = follow({ url: silent.url });
  await (await silent.connection()).next('connect');
  greeting.stop.abort();
  await greeting.ended;
});

test('MQTT-20 whoever watches cannot stop what is watched', async () => {
  const broker = await scriptedBroker(5);
  const following = follow({ url: broker.url });
  following.source.onPoll(() => {
    throw new Error('watched badly');
  });
  const side = await broker.connection();
  await side.accept();
  side.publish('a', { value: 1 }, { messageId: 1 });
  await side.acknowledged(1);
  await following.until(() => following.source.health().errors.ERR_FEED_UNEXPECTED === 2);
  expect(following.source.health().state).toBe('ok');
});
