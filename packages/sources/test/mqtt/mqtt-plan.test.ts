import { describe, expect, test } from 'vitest';
import { planMqtt } from '../../src/mqtt/mqtt-plan.ts';
import type { MqttSourceOptions } from '../../src/mqtt/mqtt-source-options.ts';
import { readingMapping } from './reading-mapping.ts';

const options = (changes: object = {}): MqttSourceOptions => ({
  url: 'mqtt://broker.example',
  clientId: 'c',
  topics: [{ filter: 'a' }],
  mapping: readingMapping(),
  ...changes,
});

test.each([
  ['url', { url: 'mqtt://broker.example:1883/' }],
  ['url of numbers', { url: 'mqtts://[::1]:9' }],
  ['clientId', { clientId: 'x'.repeat(65_535) }],
  ['topics', { topics: Array.from({ length: 1000 }, (_, index) => ({ filter: `t/${index}` })) }],
  ['sessionExpirySeconds', { sessionExpirySeconds: 0 }],
  ['sessionExpirySeconds', { sessionExpirySeconds: 4_294_967_295 }],
  ['keepAliveSeconds', { keepAliveSeconds: 1 }],
  ['keepAliveSeconds', { keepAliveSeconds: 65_535 }],
  ['reconnect', { reconnect: { baseMs: 1, maxMs: 1 } }],
  ['reconnect', { reconnect: { maxMs: 86_400_000 } }],
  [
    'limits at their least',
    {
      limits: {
        limitPacketBytes: 1024,
        limitWaitingMessages: 1,
        limitWaitingBytes: 1024,
        limitBatchMessages: 1,
        limitTopicAliases: 0,
        limitConnectMs: 1,
      },
    },
  ],
  [
    'limits at their most',
    {
      limits: {
        limitPacketBytes: 268_435_460,
        limitWaitingMessages: 65_535,
        limitWaitingBytes: Number.MAX_SAFE_INTEGER,
        limitBatchMessages: 65_535,
        limitTopicAliases: 65_535,
        limitConnectMs: 86_400_000,
      },
    },
  ],
  ['a password alone in MQTT 5', { password: 'p' }],
])('MQTT-1 %s is taken', (_name, changes) => {
  expect(planMqtt(options(changes)).origin).toMatch(/^mqtts?:/);
});

test.each([
  ['url', { url: 'broker.example' }],
  ['url', { url: 'http://broker.example' }],
  ['url', { url: 'mqtt://broker.example/path' }],
  ['url', { url: 'mqtt://broker.example?x' }],
  ['version', { version: 3 }],
  ['clientId', { clientId: '' }],
  ['clientId', { clientId: 'x'.repeat(65_536) }],
  ['clientId', { clientId: 'a\0' }],
  ['topics.length', { topics: [] }],
  ['topics.length', { topics: Array.from({ length: 1001 }, (_, index) => ({ filter: `t/${index}` })) }],
  ['topics[0].filter', { topics: [{ filter: 'a/#/b' }] }],
  ['topics[1].filter', { topics: [{ filter: 'a' }, { filter: 'a' }] }],
  ['topics[0].qos', { topics: [{ filter: 'a', qos: 2 }] }],
  ['sessionExpirySeconds', { sessionExpirySeconds: -1 }],
  ['sessionExpirySeconds', { sessionExpirySeconds: 4_294_967_296 }],
  ['keepAliveSeconds', { keepAliveSeconds: 0 }],
  ['keepAliveSeconds', { keepAliveSeconds: 65_536 }],
  ['emptyPayload', { emptyPayload: 'maybe' }],
  ['reconnect.baseMs', { reconnect: { baseMs: 0 } }],
  ['reconnect.maxMs', { reconnect: { baseMs: 100, maxMs: 99 } }],
  ['reconnect.maxMs', { reconnect: { maxMs: 86_400_001 } }],
  ['limitPacketBytes', { limits: { limitPacketBytes: 1023 } }],
  ['limitPacketBytes', { limits: { limitPacketBytes: 268_435_461 } }],
  ['limitWaitingMessages', { limits: { limitWaitingMessages: 0 } }],
  ['limitWaitingMessages', { limits: { limitWaitingMessages: 65_536 } }],
  ['limitWaitingBytes', { limits: { limitWaitingBytes: 1023 } }],
  ['limitBatchMessages', { limits: { limitBatchMessages: 0 } }],
  ['limitBatchMessages', { limits: { limitBatchMessages: 65_536 } }],
  ['limitTopicAliases', { limits: { limitTopicAliases: -1 } }],
  ['limitTopicAliases', { limits: { limitTopicAliases: 65_536 } }],
  ['limitConnectMs', { limits: { limitConnectMs: 0 } }],
  ['limitConnectMs', { limits: { limitConnectMs: 86_400_001 } }],
  ['username', { username: 'x'.repeat(65_536) }],
  ['password', { password: 'p', version: 4 }],
])('MQTT-1 %s out of its range is named', (option, changes) => {
  expect(() => planMqtt(options(changes))).toThrow(
    expect.objectContaining({ code: 'ERR_SOURCE_OPTION', details: expect.objectContaining({ option }) }),
  );
});

describe('secrets', () => {
  test('MQTT-2 user and password come from the URL, and are not shown', () => {
    const plan = planMqtt(options({ url: 'mqtts://ann:p%40ss%@broker.example:8884' }));
    expect(plan.session).toMatchObject({ username: 'ann', password: 'p%40ss%', broker: 'mqtts://broker.example:8884' });
    expect(plan.address).toMatchObject({ host: 'broker.example', port: 8884, isSecure: true });
    expect(plan.origin).toBe('mqtts://broker.example:8884');
    expect(planMqtt(options({ url: 'mqtt://a:p%40@b' })).session).toMatchObject({ password: 'p@' });
  });

  test('MQTT-2 options go before the URL', () => {
    const plan = planMqtt(options({ url: 'mqtt://ann:x@broker.example', username: 'bob', password: 'y' }));
    expect(plan.session).toMatchObject({ username: 'bob', password: 'y' });
  });

  test('MQTT-2 a URL that is refused does not show them', () => {
    expect(() => planMqtt(options({ url: 'mqtt://ann:secret@broker.example/path?secret' }))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
    expect(() => planMqtt(options({ username: 'ann', password: 'secret\0' }))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });
});
