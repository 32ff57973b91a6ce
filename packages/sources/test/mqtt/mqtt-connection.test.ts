import { setImmediate as turn } from 'node:timers/promises';
import type { StreamError } from '@ldes-live/rdf-stream';
import { generate, type Packet } from 'mqtt-packet';
import { expect, test } from 'vitest';
import { createMqttConnection } from '../../src/mqtt/mqtt-connection.ts';
import type { SessionSettings } from '../../src/mqtt/session-settings.ts';
import { FakeTime } from '../fake-time.ts';
import { PairedSocket, sentPackets, settingsOf } from './session-settings.ts';

const NEVER = new AbortController().signal;

async function connected(changes: Partial<SessionSettings> = {}, limitWaitingBytes = 1_000_000) {
  const time = new FakeTime();
  const socket = new PairedSocket();
  const problems: StreamError[] = [];
  const settings = settingsOf({ isSubscribed: true, ...changes });
  const onProblem = (problem: StreamError) => void problems.push(problem);
  const connection = createMqttConnection(socket, { settings, limitWaitingBytes, onProblem }, time);
  const tell = async (packet: Packet) => {
    socket.push(generate(packet, { protocolVersion: 5 }));
    await turn();
  };
  await tell({ cmd: 'connack', sessionPresent: true, reasonCode: 0 });
  await connection.live(NEVER);
  const publish = (messageId: number, payload = 'x') =>
    tell({ cmd: 'publish', topic: 'sensors/a', payload, qos: 1, dup: false, retain: false, messageId });
  const cmds = () => sentPackets(socket.written, 5).map(({ cmd }) => cmd);
  return { time, socket, connection, publish, tell, cmds };
}

/** Lets the clock go to the first sign of life that is asked for: the time to connect is waited for before. */
async function untilPing(time: FakeTime): Promise<void> {
  await time.waiting(10_000);
  time.pass();
  await time.waiting(20_000);
  time.pass();
  await turn();
}

test('MQTT-13 nothing is read while limitWaitingMessages wait, and again when they are taken', async () => {
  const { socket, connection, publish } = await connected({ limitWaitingMessages: 2 });
  await publish(1);
  expect(socket.isPaused()).toBe(false);
  await publish(2);
  expect(socket.isPaused()).toBe(true);
  expect(connection.take(10)).toHaveLength(2);
  expect(socket.isPaused()).toBe(false);
});

test('MQTT-13 nothing is read while limitWaitingBytes wait', async () => {
  const { socket, connection, publish } = await connected({}, 30);
  await publish(1, 'x'.repeat(20));
  expect(socket.isPaused()).toBe(false);
  await publish(2, 'x');
  expect(socket.isPaused()).toBe(true);
  connection.take(1);
  expect(socket.isPaused()).toBe(false);
});

test('MQTT-10 a sign of life is asked for, and its absence ends the connection', async () => {
  const { time, connection, cmds } = await connected();
  await untilPing(time);
  expect(cmds()).toEqual(['connect', 'pingreq']);
  await time.waiting(15_000);
  time.pass();
  await connection.ready(NEVER);
  expect(connection.error()?.code).toBe('ERR_MQTT_TIMEOUT');
});

test('MQTT-10 an answer keeps it, and so does reading nothing on purpose', async () => {
  const { time, connection, tell, publish, cmds } = await connected({ limitWaitingMessages: 1 });
  await untilPing(time);
  await tell({ cmd: 'pingresp' });
  await publish(1);
  for (let passed = 0; passed < 6; passed += 1) {
    time.pass();
    await turn();
  }
  expect(connection.error()).toBeUndefined();
  expect(cmds().filter((cmd) => cmd === 'pingreq').length).toBeGreaterThan(2);
});

test('MQTT-5 what waits can still be taken when the connection has broken off, and acknowledging it does no harm', async () => {
  const { socket, connection, publish, cmds } = await connected();
  await publish(1);
  socket.destroy(new Error('reset'));
  await turn();
  expect(connection.error()).toMatchObject({ code: 'ERR_MQTT_DISCONNECTED', details: { reason: 'reset' } });
  expect(connection.take(5)).toHaveLength(1);
  connection.acknowledge([1]);
  expect(cmds()).toEqual(['connect']);
});

test('MQTT-21 leaving says goodbye, and waits no longer than a second for a broker that does not close', async () => {
  const polite = await connected();
  await polite.connection.leave();
  expect(polite.cmds()).toEqual(['connect', 'disconnect']);
  const { time, socket, connection } = await connected();
  socket._final = (done) => done();
  const left = connection.leave();
  await time.waiting(1000);
  time.pass();
  await left;
  expect(socket.destroyed).toBe(true);
});

test('MQTT-9 the signal ends every wait', async () => {
  const { connection } = await connected();
  const stopping = new AbortController();
  const waiting = connection.ready(stopping.signal);
  stopping.abort();
  await waiting;
  expect(connection.take(1)).toEqual([]);
});
