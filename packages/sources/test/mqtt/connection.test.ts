import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { generate, type IConnackPacket, type IPublishPacket, type Packet, parser } from 'mqtt-packet';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ConnectionSettings, type MqttConnection, openConnection } from '../../src/mqtt/connection.ts';
import { FakeTime } from '../fake-time.ts';

const NEVER = new AbortController().signal;
const SETTINGS: ConnectionSettings = {
  address: { host: 'broker.example', port: 1883, isSecure: false, shown: 'mqtt://broker.example' },
  tls: {},
  version: 5,
  clientId: 'ldes-live-test',
  topics: [{ filter: 'sensors/+', qos: 1 }],
  sessionExpirySeconds: 3600,
  keepAliveSeconds: 30,
  limitPacketBytes: 100_000,
  limitWaitingMessages: 100,
  limitWaitingBytes: 1_000_000,
  limitTopicAliases: 2,
  limitConnectMs: 10_000,
};

/** A socket whose other end is a test. */
class PairedSocket extends Duplex {
  /** What was written to it. */
  readonly written: Buffer[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written.push(chunk);
    done();
  }

  override _final(done: () => void): void {
    // The other end closes when this one has.
    this.push(null);
    done();
  }
}

const CONNACK: IConnackPacket = { cmd: 'connack', sessionPresent: false, reasonCode: 0, returnCode: 0 };
const KEPT: IConnackPacket = { ...CONNACK, sessionPresent: true };
const SUBACK: Packet = { cmd: 'suback', messageId: 1, granted: [1] };

const published = (changes: Partial<IPublishPacket> = {}): IPublishPacket => ({
  ...{ cmd: 'publish', topic: 'sensors/a', payload: 'x', qos: 1, dup: false, retain: false, messageId: 5 },
  ...changes,
});
const aliased = (topicAlias: number, topic = '') => published({ topic, properties: { topicAlias } });

/** Begins to connect; `tell` says packets of the broker, `opened` is what came of it. */
async function open(changes: Partial<ConnectionSettings> = {}, isSubscribed = false) {
  const time = new FakeTime();
  const socket = new PairedSocket();
  const settings = { ...SETTINGS, ...changes };
  const world = { clock: time.clock, sleep: time.sleep, random: () => 0, openSocket: async () => socket };
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const opened = openConnection(settings, isSubscribed, world, stopping.signal);
  await turn();
  const protocolVersion = settings.version;
  const tell = async (...packets: readonly Packet[]) => {
    for (const packet of packets) socket.push(generate(packet, { protocolVersion }));
    await turn();
  };
  const sent = () => {
    const packets: Packet[] = [];
    const reading = parser({ protocolVersion });
    reading.on('packet', (packet) => packets.push(packet));
    for (const bytes of socket.written) reading.parse(Buffer.from(bytes));
    return packets;
  };
  return { time, socket, opened, tell, sent, cmds: () => sent().map(({ cmd }) => cmd) };
}

/** A connection that is live since its clock stands still. */
async function live(changes: Partial<ConnectionSettings> = {}) {
  const opening = await open(changes, true);
  await opening.tell(KEPT);
  return { ...opening, connection: (await opening.opened) as MqttConnection };
}

const errorOf = async (opened: Promise<MqttConnection | StreamError>) => {
  const outcome = await opened;
  return isStreamError(outcome) ? outcome : outcome.error();
};

describe('connecting', () => {
  test('MQTT-4 the session is to outlive the connection, in both versions', async () => {
    const properties = { sessionExpiryInterval: 3600, receiveMaximum: 100, topicAliasMaximum: 2 };
    const shared = { cmd: 'connect', clientId: 'ldes-live-test', clean: false, keepalive: 30 };
    const five = await open({ username: 'u', password: 'p' });
    const secrets = { username: 'u', password: Buffer.from('p') };
    expect(five.sent()).toMatchObject([{ ...shared, protocolVersion: 5, ...secrets, properties }]);
    const [connect] = (await open({ version: 4 })).sent();
    expect(connect).toMatchObject({ ...shared, protocolVersion: 4 });
    expect(connect).not.toHaveProperty('properties');
  });

  test.each([4, 5] as const)('MQTT-3 in version %s topics are asked for at the QoS that is wanted', async (version) => {
    const topics = [{ filter: 'a/#', qos: 1 } as const, { filter: 'b', qos: 0 } as const];
    const { tell, sent, opened } = await open({ version, topics });
    await tell(CONNACK);
    const subscriptions = topics.map(({ filter, qos }) => ({ topic: filter, qos }));
    expect(sent()[1]).toMatchObject({ cmd: 'subscribe', messageId: 1, subscriptions });
    await tell({ ...SUBACK, granted: [1, 0] });
    expect(((await opened) as MqttConnection).problems).toEqual([]);
  });

  test('MQTT-4 a session that the broker still has is not asked for topics again, a forgotten one is, and told', async () => {
    const kept = await live();
    const { problems } = kept.connection;
    expect([kept.cmds(), problems, kept.connection.isSessionPresent()]).toEqual([['connect'], [], true]);
    const lost = await open({}, true);
    await lost.tell(CONNACK, SUBACK);
    expect(lost.cmds()).toEqual(['connect', 'subscribe']);
    expect(((await lost.opened) as MqttConnection).problems).toMatchObject([{ code: 'ERR_MQTT_SESSION_LOST' }]);
  });

  test.each<[version: 4 | 5, code: number, words: string, said?: string]>([
    [4, 5, 'not allowed to do so (code 5)'],
    [4, 2, 'does not accept the client identifier (code 2)'],
    [5, 0x86, 'the user name or password is wrong (code 134)'],
    [5, 0x8a, 'this client is banned (code 138)'],
    [5, 0xa3, 'of an unknown code (code 163)'],
    // The broker's own words are shown, at a length that can be read.
    [5, 0x97, `a quota is used up (code 151): "${'w'.repeat(200)}"`, 'w'.repeat(500)],
  ])('MQTT-9 version %s says in words why code %s refuses', async (version, code, words, reasonString) => {
    const { opened, socket } = await open({ version });
    const properties = reasonString === undefined ? {} : { properties: { reasonString } };
    const bytes = generate(
      { ...CONNACK, returnCode: code, reasonCode: 0, ...properties },
      { protocolVersion: version },
    );
    // The codec writes no code that it does not know; long packets have a length of two bytes.
    bytes[bytes.length < 130 ? 3 : 4] = code;
    socket.push(bytes);
    const error = await errorOf(opened);
    expect(error).toMatchObject({ code: 'ERR_MQTT_REFUSED', details: { returnCode: code } });
    expect(error?.message).toContain(words);
  });

  test('MQTT-9 what is refused or granted at less is reported, and only all of it refused ends the connection', async () => {
    const topics = ['a', 'b', 'c'].map((filter) => ({ filter, qos: 1 }) as const);
    const some = await open({ topics });
    await some.tell(CONNACK, { ...SUBACK, granted: [1, 0x80, 0], properties: { reasonString: 'ask Ann' } });
    expect(((await some.opened) as MqttConnection).problems).toMatchObject([
      { code: 'ERR_MQTT_SUBSCRIPTION_REFUSED', details: { filter: 'b', reason: expect.stringContaining('ask Ann') } },
      { code: 'ERR_MQTT_QOS_LOWERED', details: { filter: 'c' } },
    ]);
    const none = await open({ topics });
    await none.tell(CONNACK, { ...SUBACK, granted: [0x87, 0x80, 0x8f] });
    expect(await errorOf(none.opened)).toMatchObject({ code: 'ERR_MQTT_SUBSCRIPTION_REFUSED' });
    expect(none.cmds()).toEqual(['connect', 'subscribe', 'disconnect']);
  });

  test.each([
    ['connecting', []],
    ['subscribing', [CONNACK]],
  ] as const)('MQTT-9 a broker that stays silent while %s is given up at limitConnectMs', async (phase, packets) => {
    const { time, tell, opened } = await open();
    await tell(...packets);
    await time.waiting(10_000);
    time.pass();
    const error = { code: 'ERR_MQTT_TIMEOUT', details: { phase, limitMs: 10_000 } };
    expect(await errorOf(opened)).toMatchObject(error);
  });
});

describe('messages', () => {
  test('MQTT-15 a message may come before the topics are granted', async () => {
    const { time, tell, opened } = await open();
    await tell(CONNACK, published({ retain: true }), SUBACK);
    const [message] = ((await opened) as MqttConnection).take(1);
    expect(message).toMatchObject({ topic: 'sensors/a', retain: true, receivedAtMs: time.nowMs });
  });

  test('MQTT-18 large messages are taken a few at a time, and one always', async () => {
    const { tell, connection } = await live({ limitPacketBytes: 2_000_000, limitWaitingBytes: 10_000_000 });
    for (const size of [500_000, 500_000, 500_000, 1_200_000, 1]) await tell(published({ payload: 'x'.repeat(size) }));
    const taken = Array.from({ length: 4 }, () => connection.take(9).map(({ payload }) => payload.length));
    expect(taken).toEqual([[500_000, 500_000], [500_000], [1_200_000], [1]]);
  });

  test('MQTT-3 an alias stands for the topic that it came with last', async () => {
    const { tell, connection } = await live();
    await tell(aliased(2, 'sensors/a'), aliased(2), aliased(2, 'sensors/b'), aliased(2));
    expect(connection.take(9).map(({ topic }) => topic.at(-1))).toEqual(['a', 'a', 'b', 'b']);
  });

  test.each([
    ['of an alias above the limit', '32 11 0009 73656e736f72732f61 0005 03 230003', 0x94],
    ['of alias 0', '32 11 0009 73656e736f72732f61 0005 03 230000', 0x94],
    ['of an alias without topic', '32 08 0000 0005 03 230001', 0x82],
    ['without topic and alias', '32 05 0000 0005 00', 0x82],
  ])('MQTT-3 a message %s is against the protocol', async (_name, bytes, reasonCode) => {
    const { socket, connection, sent } = await live();
    socket.push(Buffer.from(bytes.replaceAll(' ', ''), 'hex'));
    await turn();
    expect(connection.error()).toMatchObject({ code: 'ERR_MQTT_PROTOCOL' });
    expect(sent().at(-1)).toMatchObject({ cmd: 'disconnect', reasonCode });
  });

  test('MQTT-13 nothing is read while limitWaitingMessages wait, and again when they are taken', async () => {
    const { socket, connection, tell } = await live({ limitWaitingMessages: 2 });
    await tell(published());
    expect(socket.isPaused()).toBe(false);
    // A broker that sends more at once than it may, as some do when they resume a session, is understood.
    socket.push(Buffer.concat([1, 2].map((messageId) => generate(published({ messageId }), { protocolVersion: 5 }))));
    await turn();
    expect(socket.isPaused()).toBe(true);
    expect(connection.take(1)).toHaveLength(1);
    expect(socket.isPaused()).toBe(true);
    expect(connection.take(10).map(({ messageId }) => messageId)).toEqual([1, 2]);
    expect(socket.isPaused()).toBe(false);
  });

  test('MQTT-13 nothing is read while limitWaitingBytes of topics and payloads wait', async () => {
    const { socket, connection, tell } = await live({ limitWaitingBytes: 30 });
    await tell(published({ payload: 'x'.repeat(20) }));
    expect(socket.isPaused()).toBe(false);
    await tell(published());
    expect(socket.isPaused()).toBe(true);
    connection.take(1);
    expect(socket.isPaused()).toBe(false);
  });
});

describe('signs of life', () => {
  /** Lets the clock go to the first sign of life that is asked for: the time to connect is waited for before. */
  const untilPing = async (time: FakeTime) => {
    for (const durationMs of [10_000, 20_000]) {
      await time.waiting(durationMs);
      time.pass();
      await turn();
    }
  };

  test('MQTT-9 one is asked for every keepAliveSeconds, and its absence for half as long ends the connection', async () => {
    const { time, connection, cmds } = await live();
    await untilPing(time);
    await time.waiting(15_000);
    expect(cmds()).toEqual(['connect', 'pingreq']);
    expect(connection.error()).toBeUndefined();
    time.pass();
    await connection.ready(NEVER);
    expect(connection.error()).toMatchObject({ code: 'ERR_MQTT_TIMEOUT', details: { phase: 'live', limitMs: 45_000 } });
  });

  test.each([
    ['a sign of life', { cmd: 'pingresp' } as const],
    ['a message', published()],
  ])('MQTT-9 %s is one', async (_name, packet) => {
    const { time, tell, connection, cmds } = await live();
    await untilPing(time);
    await tell(packet);
    time.pass();
    await time.waiting(15_000);
    expect(connection.error()).toBeUndefined();
    time.pass();
    await turn();
    expect(cmds()).toEqual(['connect', 'pingreq', 'pingreq']);
  });

  test('MQTT-9 while nothing is read on purpose nothing is missed, yet the broker still hears of us', async () => {
    const { time, connection, tell, cmds } = await live({ limitWaitingMessages: 1 });
    await tell(published());
    for (let passed = 0; passed < 8; passed += 1) {
      time.pass();
      await turn();
    }
    expect(connection.error()).toBeUndefined();
    expect(cmds().filter((cmd) => cmd === 'pingreq').length).toBeGreaterThan(2);
  });

  test('MQTT-9 a broker of MQTT 5 may set another time', async () => {
    const { time, tell, opened } = await open({}, true);
    await tell({ ...KEPT, properties: { serverKeepAlive: 5 } });
    await opened;
    await time.waiting(5000);
  });
});

describe('what ends a connection', () => {
  test.each([
    ['a message before CONNACK', [], published()],
    ['a second CONNACK', [CONNACK], CONNACK],
    ['a SUBACK before CONNACK', [], SUBACK],
    ['a SUBACK of another packet', [CONNACK], { ...SUBACK, messageId: 2 }],
    ['a SUBACK with too many codes', [CONNACK], { ...SUBACK, granted: [1, 1] }],
    ['a second SUBACK', [CONNACK, SUBACK], SUBACK],
    ['a packet that only clients send', [CONNACK, SUBACK], { cmd: 'pingreq' } as const],
  ])('MQTT-9 %s', async (_name, before, packet) => {
    const { tell, opened, cmds } = await open();
    await tell(...before, packet as Packet);
    expect(await errorOf(opened)).toMatchObject({ code: 'ERR_MQTT_PROTOCOL' });
    expect(cmds().at(-1)).toBe(before.length === 0 ? 'connect' : 'disconnect');
  });

  test('MQTT-9 a DISCONNECT of MQTT 5 says why in words, and nothing is read or acknowledged behind it', async () => {
    const { tell, connection, cmds } = await live();
    await tell(published(), { cmd: 'disconnect', reasonCode: 0x8e }, published({ messageId: 6 }));
    expect(connection.error()).toMatchObject({ code: 'ERR_MQTT_DISCONNECTED' });
    expect(connection.error()?.message).toContain('the client identifier is in use twice');
    const messages = connection.take(5);
    expect(messages).toHaveLength(1);
    connection.acknowledge(messages);
    expect(cmds()).toEqual(['connect']);
  });

  test('MQTT-9 a DISCONNECT that ends within its reason is one without', async () => {
    const { socket, connection } = await live();
    socket.push(Buffer.from('e0068b041f00e001', 'hex'));
    await turn();
    expect(connection.error()).toMatchObject({ code: 'ERR_MQTT_DISCONNECTED' });
    expect(connection.error()?.message).toContain('(code 139)');
  });

  test('MQTT-5 what waits can still be taken when the connection has broken off, and acknowledging it does no harm', async () => {
    const { socket, connection, tell, cmds } = await live();
    await tell(published());
    socket.destroy(new Error('reset'));
    await turn();
    expect(connection.error()).toMatchObject({ code: 'ERR_MQTT_DISCONNECTED', details: { reason: 'reset' } });
    connection.acknowledge(connection.take(5));
    expect(cmds()).toEqual(['connect']);
  });

  test('MQTT-5 leaving says goodbye, and waits no longer than a second for a broker that does not close', async () => {
    const polite = await live();
    await polite.connection.leave();
    expect(polite.cmds()).toEqual(['connect', 'disconnect']);
    const { time, socket, connection } = await live();
    socket._final = (done) => done();
    const left = connection.leave();
    await time.waiting(1000);
    time.pass();
    await left;
    expect(socket.destroyed).toBe(true);
  });
});
