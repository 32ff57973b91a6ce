import { isStreamError } from '@ldes-live/rdf-stream';
import { describe, expect, test } from 'vitest';
import type { InboundPacket } from '../../src/mqtt/inbound-packet.ts';
import { acknowledge, beginSession, nextDueMs, passTime, receivePacket, type Session } from '../../src/mqtt/session.ts';
import { sentPackets, settingsOf } from './session-settings.ts';

const connack = { kind: 'connack', isSessionPresent: false, code: 0 } as const;
const suback = { kind: 'suback', messageId: 1, codes: [1] } as const;
const flags = { isRepeated: false, isRetained: false } as const;
const publish = { kind: 'publish', topic: 'sensors/a', messageId: 5, payload: Buffer.from('1'), ...flags } as const;

function after(packets: readonly InboundPacket[], settings = settingsOf(), nowMs = 0): Session {
  const begun = beginSession(settings, nowMs).session;
  return packets.reduce((session, packet) => receivePacket(session, packet, settings, nowMs).session, begun);
}

describe('connecting', () => {
  test('MQTT-4 the session is to outlive the connection, in both versions', () => {
    const five = settingsOf({ username: 'u', password: 'p' });
    const properties = { sessionExpiryInterval: 3600, receiveMaximum: 100, topicAliasMaximum: 2 };
    const shared = { cmd: 'connect', clientId: 'ldes-live-test', clean: false, keepalive: 30 };
    expect(sentPackets(beginSession(five, 0).sends, 5)).toMatchObject([
      { ...shared, protocolVersion: 5, username: 'u', password: Buffer.from('p'), properties },
    ]);
    const four = settingsOf({ version: 4 });
    const [connect] = sentPackets(beginSession(four, 0).sends, 4);
    expect(connect).toMatchObject({ ...shared, protocolVersion: 4 });
    expect(connect).not.toHaveProperty('properties');
  });

  test.each([4, 5] as const)('MQTT-3 in version %s topics are asked for at the QoS that is wanted', (version) => {
    const topics = [{ filter: 'a/#', qos: 1 } as const, { filter: 'b', qos: 0 } as const];
    const settings = settingsOf({ version, topics });
    const step = receivePacket(after([], settings), connack, settings, 0);
    expect(step.session.phase).toBe('subscribing');
    expect(sentPackets(step.sends, version)).toMatchObject([
      { cmd: 'subscribe', messageId: 1, subscriptions: topics.map(({ filter, qos }) => ({ topic: filter, qos })) },
    ]);
    const granted = receivePacket(step.session, { ...suback, codes: [1, 0] }, settings, 0);
    expect(granted).toMatchObject({ session: { phase: 'live' }, problems: [] });
  });

  test('MQTT-23 a session that the broker still has is not asked for topics again, a forgotten one is, and told', () => {
    const settings = settingsOf({ isSubscribed: true });
    const begun = beginSession(settings, 0).session;
    const kept = receivePacket(begun, { ...connack, isSessionPresent: true }, settings, 0);
    expect(kept).toMatchObject({ session: { phase: 'live', isSessionPresent: true }, problems: [] });
    expect(kept.sends).toBeUndefined();
    const lost = receivePacket(begun, connack, settings, 0);
    expect(lost).toMatchObject({ session: { phase: 'subscribing' }, problems: [{ code: 'ERR_MQTT_SESSION_LOST' }] });
  });

  test.each<[version: 4 | 5, code: number, words: string, said?: string]>([
    [4, 5, 'not allowed to connect (code 5)'],
    [4, 2, 'does not accept the client identifier (code 2)'],
    [5, 0x86, 'the user name or password is wrong (code 134)'],
    [5, 0x8a, 'this client is banned (code 138)'],
    [5, 0xfe, 'of an unknown code (code 254)'],
    // The broker's own words are shown, at a length that can be read.
    [5, 0x97, `a quota is used up (code 151): "${'w'.repeat(200)}"`, 'w'.repeat(500)],
  ])('MQTT-9 version %s says in words why code %s refuses', (version, code, words, said) => {
    const settings = settingsOf({ version });
    const step = receivePacket(after([], settings), { ...connack, code, ...(said && { said }) }, settings, 0);
    expect(step.session.phase).toBe('over');
    expect(step.error).toMatchObject({ code: 'ERR_MQTT_REFUSED', details: { returnCode: code } });
    expect(step.error?.message).toContain(words);
  });

  test('MQTT-8 what is refused or granted at less is reported, and only all of it refused ends the connection', () => {
    const topics = ['a', 'b', 'c'].map((filter) => ({ filter, qos: 1 }) as const);
    const settings = settingsOf({ topics });
    const subscribing = after([connack], settings);
    const some = receivePacket(subscribing, { ...suback, codes: [1, 0x87, 0], said: 'ask Ann' }, settings, 0);
    expect(some.session.phase).toBe('live');
    expect(some.problems).toMatchObject([
      { code: 'ERR_MQTT_SUBSCRIPTION_REFUSED', details: { filter: 'b', reason: expect.stringContaining('ask Ann') } },
      { code: 'ERR_MQTT_QOS_LOWERED', details: { filter: 'c' } },
    ]);
    const none = receivePacket(subscribing, { ...suback, codes: [0x87, 0x80, 0x8f] }, settings, 0);
    expect(none).toMatchObject({ session: { phase: 'over' }, error: { code: 'ERR_MQTT_SUBSCRIPTION_REFUSED' } });
    expect(sentPackets(none.sends, 5)).toMatchObject([{ cmd: 'disconnect' }]);
  });
});

describe('messages', () => {
  test('MQTT-5 acknowledgements go out in the order that is given', () => {
    const session = after([connack, suback, publish, { ...publish, messageId: 6 }]);
    const step = acknowledge(session, [5, 6], settingsOf());
    expect(sentPackets(step.sends, 5)).toMatchObject([5, 6].map((messageId) => ({ cmd: 'puback', messageId })));
  });

  test('MQTT-16 a message may come before the topics are granted', () => {
    const step = receivePacket(after([connack]), { ...publish, isRetained: true }, settingsOf(), 17);
    expect(step.message).toMatchObject({ topic: 'sensors/a', isRetained: true, receivedAtMs: 17 });
  });

  test('MQTT-18 an alias stands for the topic that it came with last', () => {
    const settings = settingsOf();
    const aliased = { ...publish, topic: '', alias: 2 };
    const named = after([connack, suback, { ...publish, alias: 2 }]);
    expect(receivePacket(named, aliased, settings, 0).message?.topic).toBe('sensors/a');
    const renamed = receivePacket(named, { ...publish, topic: 'sensors/b', alias: 2 }, settings, 0).session;
    expect(receivePacket(renamed, aliased, settings, 0).message?.topic).toBe('sensors/b');
  });

  test.each([
    ['of alias 0', { ...publish, alias: 0 }, 0x94],
    ['of an alias above the limit', { ...publish, alias: 3 }, 0x94],
    ['of an alias without topic', { ...publish, topic: '', alias: 1 }, 0x82],
    ['without topic and alias', { ...publish, topic: '' }, 0x82],
  ])('MQTT-18 a message %s is against the protocol', (_name, packet, reasonCode) => {
    const step = receivePacket(after([connack, suback]), packet, settingsOf(), 0);
    expect(step).toMatchObject({ session: { phase: 'over' }, error: { code: 'ERR_MQTT_PROTOCOL' } });
    expect(sentPackets(step.sends, 5)).toMatchObject([{ cmd: 'disconnect', reasonCode }]);
  });

  test('MQTT-13 a broker that sends more at once than it may, as some do when they resume a session, is understood', () => {
    const settings = settingsOf({ limitWaitingMessages: 1 });
    const one = after([connack, suback, publish], settings);
    expect(receivePacket(one, { ...publish, messageId: 6 }, settings, 0)).toMatchObject({ message: { messageId: 6 } });
  });
});

describe('signs of life', () => {
  const settings = settingsOf();
  const live = after([connack, suback], settings, 1000);

  test('MQTT-10 one is asked for every keepAliveSeconds', () => {
    expect(nextDueMs(live)).toBe(31_000);
    expect(passTime(live, settings, 30_999, false).sends).toBeUndefined();
    const asked = passTime(live, settings, 31_000, false);
    expect(sentPackets(asked.sends, 5)).toMatchObject([{ cmd: 'pingreq' }]);
    const answered = receivePacket(asked.session, { kind: 'pingresp' }, settings, 31_050).session;
    expect(nextDueMs(answered)).toBe(61_000);
  });

  test('MQTT-10 a connection that gives none for half as long is given up, anything that comes is one', () => {
    const asked = passTime(live, settings, 31_000, false).session;
    expect(nextDueMs(asked)).toBe(46_000);
    expect(passTime(asked, settings, 45_999, false).error).toBeUndefined();
    const error = { code: 'ERR_MQTT_TIMEOUT', details: { phase: 'live', limitMs: 45_000 } };
    expect(passTime(asked, settings, 46_000, false)).toMatchObject({ session: { phase: 'over' }, error });
    const heard = receivePacket(asked, publish, settings, 45_999).session;
    expect(passTime(heard, settings, 46_000, false).error).toBeUndefined();
  });

  test('MQTT-10 while nothing is read on purpose nothing is missed, yet the broker still hears of us', () => {
    const asked = passTime(live, settings, 31_000, true).session;
    const paused = passTime(asked, settings, 46_000, true);
    expect(paused.error).toBeUndefined();
    const later = passTime(paused.session, settings, 61_000, true);
    expect(sentPackets(later.sends, 5)).toMatchObject([{ cmd: 'pingreq' }]);
  });

  test('MQTT-10 a broker of MQTT 5 may set another time', () => {
    const session = after([{ ...connack, keepAliveSeconds: 5 }, suback], settings);
    expect(nextDueMs(session)).toBe(5000);
  });

  test.each([
    ['connecting', []],
    ['subscribing', [connack]],
  ] as const)('MQTT-9 a broker that stays silent while %s is given up at limitConnectMs', (phase, packets) => {
    const session = after(packets, settings);
    expect(passTime(session, settings, 9999, false).error).toBeUndefined();
    const error = { code: 'ERR_MQTT_TIMEOUT', details: { phase, limitMs: 10_000 } };
    expect(passTime(session, settings, 10_000, false)).toMatchObject({ error });
  });
});

describe('what ends a connection', () => {
  test.each([
    ['a message before CONNACK', [], publish],
    ['a second CONNACK', [connack], connack],
    ['a SUBACK before CONNACK', [], suback],
    ['a SUBACK of another packet', [connack], { ...suback, messageId: 2 }],
    ['a SUBACK with too many codes', [connack], { ...suback, codes: [1, 1] }],
    ['a second SUBACK', [connack, suback], suback],
    ['bytes that cannot be read', [connack, suback], { kind: 'broken', reason: 'nonsense' } as const],
  ])('MQTT-12 %s', (_name, before, packet) => {
    const step = receivePacket(after(before), packet, settingsOf(), 0);
    expect(step.session.phase).toBe('over');
    expect(isStreamError(step.error, 'ERR_MQTT_PROTOCOL')).toBe(true);
  });

  test('MQTT-12 a DISCONNECT of MQTT 5 says why in words', () => {
    const step = receivePacket(after([connack, suback]), { kind: 'disconnect', code: 0x8e }, settingsOf(), 0);
    expect(step.error).toMatchObject({ code: 'ERR_MQTT_DISCONNECTED' });
    expect(step.error?.message).toContain('the client identifier is in use twice');
  });

  test('MQTT-12 nothing is read, asked or acknowledged when it is over', () => {
    const settings = settingsOf();
    const { session } = receivePacket(after([]), publish, settings, 0);
    expect(receivePacket(session, connack, settings, 0)).toEqual({ session });
    expect(passTime(session, settings, 1e12, false)).toEqual({ session });
    expect(acknowledge(session, [5], settings)).toEqual({ session });
    expect(nextDueMs(session)).toBe(Number.POSITIVE_INFINITY);
  });
});
