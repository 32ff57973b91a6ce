import { setImmediate as turn } from 'node:timers/promises';
import { until } from '@ldes-live/test-support/virtual-time';
import { describe, expect, test } from 'vitest';
import {
  ENTITY,
  follow,
  followed,
  holdStoring,
  observationMapping,
  readingMapping,
  scriptedBroker,
} from './following.ts';

describe.each([4, 5] as const)('MQTT version %s', (version) => {
  test('MQTT-5 a message is acknowledged once it has been stored, not before', async () => {
    const { following, side } = await followed(version);
    const held = holdStoring(following);
    side.publish('a', { value: 1 }, { messageId: 7 });
    await held.asked;
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(side.received).toEqual([]);
    held.release();
    expect(await side.acknowledged(1)).toEqual([7]);
    expect(following.latest.entities()).toEqual([`${ENTITY}a`]);
  });

  test('MQTT-5 what could not be stored is not acknowledged, and taken when it comes again', async () => {
    const { broker, following, side } = await followed(version);
    following.storing = () => {
      following.storing = () => undefined;
      throw new Error('cannot store');
    };
    side.publish('a', { value: 1 }, { messageId: 7 });
    await side.next('disconnect');
    expect(following.latest.size).toBe(0);
    const second = await broker.resumed();
    expect(await second.deliver('a', { value: 1 }, { messageId: 7, dup: true })).toEqual([7]);
    expect(following.latest.batches).toHaveLength(1);
  });

  test('MAP-23 a field that is not mapped is told once and counted, and what is mapped is published', async () => {
    const { following, side } = await followed(version);
    await side.deliver('a', { value: 1, battery: 3 });
    side.publish('b', { value: 2, battery: 4 });
    await until(() => following.latest.size === 2 && following.events.length >= 3);
    expect(following.problems()).toMatchObject([{ code: 'ERR_MAPPING_UNMAPPED', details: { paths: ['battery'] } }]);
    expect(following.source.health()).toMatchObject({ state: 'ok', errors: {}, findings: { unmapped: 1 } });
  });

  test('MQTT-7 what was stored and comes again is acknowledged, and not published again', async () => {
    const { broker, following, side } = await followed(version);
    for (const value of [1, 2]) side.publish('a', { value });
    await side.acknowledged(2);
    side.cut();
    const second = await broker.resumed();
    for (const value of [1, 2, 1]) second.publish('a', { value }, { dup: true });
    expect(await second.acknowledged(3)).toEqual([1, 2, 3]);
    expect(following.latest.batches).toHaveLength(3);
    expect(following.source.health().findings).toMatchObject({ redelivered: 2 });
  });

  test('MQTT-14 what cannot be read or mapped is reported and acknowledged, the others are published', async () => {
    const { following, side } = await followed(version);
    side.publish('broken', '{"value":');
    side.publish('lacking', { at: '2026-01-01T00:00:00Z' });
    side.publish('good', { value: 1 });
    await side.acknowledged(3);
    expect(following.latest.entities()).toEqual([`${ENTITY}good`]);
    await until(() => following.source.health().errors.ERR_MQTT_MESSAGE === 2);
    expect(following.problems().map(({ details }) => [details.topic, details.code])).toEqual([
      ['sensors/broken', 'ERR_DOCUMENT_MALFORMED'],
      ['sensors/lacking', 'ERR_MAPPING_RECORD'],
    ]);
    expect(following.source.health().state).toBe('ok');
  });

  test('MQTT-5 a message of many records is stored in parts, and acknowledged after the last', async () => {
    const mapping = readingMapping({ subject: '{+base}sensors/{n}' });
    const { following, side } = await followed(version, { mapping });
    const sizes: number[] = [];
    following.storing = (batch) => {
      sizes.push(batch.length);
      expect(side.received).toEqual([]);
    };
    side.publish(
      'a',
      Array.from({ length: 1001 }, (_, n) => ({ n, value: 1 })),
    );
    await side.acknowledged(1);
    expect(sizes).toEqual([1000, 1]);
  });

  test('MQTT-11 a message above limitPacketBytes is reported, acknowledged and left out', async () => {
    const { following, side } = await followed(version, { limits: { limitPacketBytes: 2000 } });
    side.publish('large', { value: 'x'.repeat(2000) });
    side.publish('small', { value: 'x'.repeat(1800) });
    expect(await side.acknowledged(2)).toEqual([1, 2]);
    expect(following.latest.entities()).toEqual([`${ENTITY}small`]);
    await until(() => following.source.health().errors.ERR_MQTT_MESSAGE_TOO_LARGE === 1);
  });

  test.each([
    ['ends the entity of its topic', {}, []],
    ['ends nothing when emptyPayload is ignored', { emptyPayload: 'ignored' } as const, ['a']],
    ['ends nothing when the mapping is of observations', { mapping: observationMapping() }, ['a']],
  ])('MQTT-15 a message without payload %s', async (_name, options, living) => {
    const { following, side } = await followed(version, options);
    side.publish('a', { n: 1, value: 1 });
    for (const name of ['a', 'never']) side.publish(name, '');
    await side.acknowledged(3);
    expect(following.latest.entities()).toEqual(living.map((name) => `${ENTITY}${name}`));
    await until(() => following.source.health().findings.emptyMessages === 2);
  });

  test('MQTT-14 a message without records is counted, and one that says nothing is reported', async () => {
    const { following, side } = await followed(version);
    for (const payload of ['[]', 'null', '""']) await side.deliver('a', payload);
    await until(() => following.source.health().errors.ERR_MQTT_MESSAGE === 2);
    expect(following.latest.size).toBe(0);
    expect(following.source.health().findings).toEqual({ withoutRecords: 1 });
  });

  test('MQTT-17 topics that were not asked for are left out, and the first of a connection is reported', async () => {
    const { broker, following, side } = await followed(version);
    for (const topic of ['former/a', 'former/b', 'former/a']) await side.deliver('a', { value: 1 }, { topic });
    await until(() => following.source.health().findings.unexpectedTopics === 3);
    const told = () => following.problems().map(({ code, details }) => `${code} ${details.topic}`);
    expect(following.latest.size).toBe(0);
    expect(told()).toEqual(['ERR_MQTT_UNEXPECTED_TOPIC former/a']);
    expect(following.source.health()).toMatchObject({ state: 'ok', errors: { ERR_MQTT_UNEXPECTED_TOPIC: 1 } });
    side.cut();
    (await broker.resumed()).publish('a', { value: 1 }, { messageId: 9, topic: 'former/b' });
    await until(() => told().length === 2);
    expect(told()[1]).toBe('ERR_MQTT_UNEXPECTED_TOPIC former/b');
  });

  test('MQTT-5 told to end it waits for what is being stored, acknowledges it and leaves', async () => {
    const { following, side } = await followed(version);
    const held = holdStoring(following);
    side.publish('a', { value: 1 });
    await held.asked;
    side.publish('b', { value: 1 });
    following.stop.abort();
    held.release();
    await following.ended;
    expect(await side.acknowledged(1)).toEqual([1]);
    await side.next('disconnect');
    await side.closed;
    expect(following.latest.entities()).toEqual([`${ENTITY}a`]);
  });

  test('MQTT-9 it connects again after every way in which a connection can fail', async () => {
    const broker = await scriptedBroker(version);
    const following = follow({ url: broker.url, version, limits: { limitConnectMs: 1000 } });
    (await broker.connection()).cut();
    await broker.accepted({ returnCode: 5, reasonCode: 0x87 }, false);
    (await broker.connection()).sendText('HTTP/1.1 400 Bad Request\r\n\r\n');
    await (await broker.connection()).next('connect');
    await (await broker.accepted()).deliver('a', { value: 1 });
    expect(following.latest.size).toBe(1);
    expect(following.source.health()).toMatchObject({
      state: 'ok',
      errors: { ERR_MQTT_DISCONNECTED: 1, ERR_MQTT_REFUSED: 1, ERR_MQTT_PROTOCOL: 1, ERR_MQTT_TIMEOUT: 1 },
      polls: { bad: 4 },
    });
  });
});
