import { generate, type Packet } from 'mqtt-packet';
import { describe, expect, test } from 'vitest';
import { createPacketReader, type InboundPacket, isTopicFilter, matchesFilter } from '../../src/mqtt/packets.ts';

const message = { cmd: 'publish', qos: 1, dup: false, retain: false } as const;

function bytesOf(version: 4 | 5, ...packets: readonly Packet[]): Buffer {
  return Buffer.concat(packets.map((packet) => generate(packet, { protocolVersion: version })));
}

function readCut(bytes: Buffer, cuts: readonly number[], version: 4 | 5, limitPacketBytes = 1024): InboundPacket[] {
  const read = createPacketReader(version, limitPacketBytes);
  const ends = [...cuts, bytes.length];
  return ends.flatMap((end, index) => read(bytes.subarray(ends[index - 1] ?? 0, end)));
}

const conversations = [4, 5].map((version) => {
  const isFive = version === 5;
  const accepted = { cmd: 'connack', sessionPresent: true, returnCode: 0, reasonCode: 0 } as const;
  const bytes = bytesOf(
    version as 4 | 5,
    { ...accepted, ...(isFive && { properties: { serverKeepAlive: 60 } }) },
    { cmd: 'suback', messageId: 1, granted: [1, 0] },
    { ...message, messageId: 7, topic: 'sensors/ä', payload: 'x', ...(isFive && { properties: { topicAlias: 3 } }) },
    { ...message, qos: 0, topic: 'sensors/b', payload: Buffer.alloc(130, 97) },
    { ...message, messageId: 8, dup: true, retain: true, topic: 'c', payload: '' },
    { cmd: 'pingresp' },
  );
  return { version: version as 4 | 5, bytes };
});

describe.each(conversations)('MQTT version $version', ({ version, bytes }) => {
  const whole = readCut(bytes, [], version);

  test('MQTT-11 packets are read as they were sent', () => {
    expect(whole.map(({ cmd }) => cmd)).toEqual(['connack', 'suback', 'publish', 'publish', 'publish', 'pingresp']);
    expect(whole[1]).toMatchObject({ messageId: 1, granted: [1, 0] });
    expect(whole[2]).toMatchObject({ topic: 'sensors/ä', messageId: 7, payload: Buffer.from('x'), dup: false });
    expect(whole[3]).not.toHaveProperty('messageId');
    expect(whole[4]).toMatchObject({ topic: 'c', messageId: 8, dup: true, retain: true });
    if (version === 5) {
      const properties = [{ serverKeepAlive: 60 }, { topicAlias: 3 }];
      expect([whole[0], whole[2]]).toMatchObject(properties.map((each) => ({ properties: each })));
    }
  });

  test('MQTT-11 a cut at any byte, and at any two, changes nothing', () => {
    for (let first = 0; first <= bytes.length; first += 1) {
      expect(readCut(bytes, [first], version), `cut at ${first}`).toEqual(whole);
      expect(readCut(bytes, [first, Math.min(first + 1, bytes.length)], version), `twice at ${first}`).toEqual(whole);
    }
    expect(readCut(bytes, [...bytes.keys()], version)).toEqual(whole);
  });
});

describe('large packets', () => {
  const framed = (payloadBytes: number) =>
    bytesOf(4, { ...message, messageId: 9, topic: 'sensors/large', payload: Buffer.alloc(payloadBytes, 98) });
  const small = bytesOf(4, { ...message, messageId: 10, topic: 'sensors/small', payload: 'y' });

  test('MQTT-11 a message of just the limit is accepted, and of a larger one only what it takes to answer', () => {
    const bytes = framed(100);
    expect(readCut(bytes, [], 4, bytes.length)).toMatchObject([{ messageId: 9, payload: { length: 100 } }]);
    const [told] = readCut(bytes, [], 4, bytes.length - 1);
    const empty = { topic: 'sensors/large', payload: Buffer.alloc(0), dup: false, retain: false };
    expect(told).toEqual({ cmd: 'publish', qos: 1, messageId: 9, ...empty, oversizedBytes: bytes.length });
  });

  test('MQTT-11 what comes behind a message that is too large is read, however both are cut', () => {
    const bytes = Buffer.concat([framed(70_000), small]);
    for (const cuts of [[], [3], [65_000], [65_560], [69_900, 70_010], [bytes.length - 1]]) {
      const packets = readCut(bytes, cuts, 4);
      expect(packets, String(cuts)).toMatchObject([{ messageId: 9, oversizedBytes: 70_021 }, { messageId: 10 }]);
    }
  });

  test('MQTT-9 any other packet that is too large is against the protocol', () => {
    const bytes = bytesOf(4, { cmd: 'suback', messageId: 1, granted: Array(1100).fill(0) });
    expect(readCut(bytes, [], 4)).toMatchObject([{ cmd: 'broken', reason: expect.stringContaining('1105 bytes') }]);
    expect(readCut(bytes, [], 4, bytes.length)).toMatchObject([{ cmd: 'suback' }]);
  });
});

describe('what no broker sends', () => {
  const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
  test.each([
    ['a length of five bytes', '30 ff ff ff ff 01'],
    ['an unknown type', '00 00'],
    ['a CONNECT', '10 00'],
    ['a message at QoS 2', '34 06 0001 61 0001 78'],
    ['a message at QoS 3', '36 06 0001 61 0001 78'],
    ['a message whose topic is longer than itself', '30 03 00ff 61'],
    ['a topic with a wildcard', '30 04 0002 612b'],
    ['a topic with NUL', '30 04 0002 6100'],
    ['an identifier of 0', '32 05 0001 61 0000'],
    ['a SUBACK with an unknown code', '90 03 0001 03'],
    ['a DISCONNECT in version 4', 'e0 00'],
    ['reserved flags', 'd1 00'],
    ['a CONNACK without body', '20 00'],
  ])('MQTT-9 %s is broken, and nothing behind it is read', (_name, bytes) => {
    const packets = readCut(Buffer.concat([hex(bytes), hex('d0 00')]), [], 4);
    expect(packets.map(({ cmd }) => cmd)).toEqual(['broken']);
  });
});

test('topic filters are told from what is none', () => {
  const filters = 'a a/b / + # +/b/# a//b $SYS/# $share/group/a/+ é/ß'.split(' ');
  for (const filter of [...filters, 'a'.repeat(65_535)])
    expect([filter, isTopicFilter(filter)]).toEqual([filter, true]);
  const others = 'a+ a/#/b #a a\0b $share/group $share//a $share/g/ $share/+/a \ud800'.split(' ');
  for (const other of ['', ...others, 'a'.repeat(65_536)])
    expect([other, isTopicFilter(other)]).toEqual([other, false]);
});

test.each([
  [true, 'a/b a/b,a/+ a/b,a/+/c a//c,a/# a,a/# a/b/c,# a/b,$SYS/# $SYS/uptime,$share/group/a/+ a/b'],
  [false, 'a/b a/b/,a/+ a,a/+ a/b/c,a/# ab,# $SYS/uptime,+/uptime $SYS/uptime,$share/group/a/+ b/b'],
])('whether a filter matches a topic is %s: %s', (expected, pairs) => {
  for (const pair of pairs.split(',')) {
    const [filter = '', topic = ''] = pair.split(' ');
    expect([pair, matchesFilter(filter, topic)]).toEqual([pair, expected]);
  }
});
