import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sensorLog, skipMissingPrograms, states, testBroker, testPublisher } from './broker-world.ts';
import { cuttingTcpProxy } from './cutting-tcp-proxy.ts';

skipMissingPrograms();

const SENSORS = 20;
const EACH = 50;
const ALL = Array.from({ length: SENSORS * EACH }, (_, index) => `${index % SENSORS}/${Math.floor(index / SENSORS)}`);

type Publisher = ReturnType<typeof testPublisher>;

/** Publishes observations of all sensors in turns. */
function publishAll(publisher: Publisher, names: readonly string[] = ALL): void {
  for (const name of names) {
    const [sensor, n] = name.split('/').map(Number);
    void publisher.publish(`sensors/${sensor}`, JSON.stringify({ n, value: n }));
  }
}

/** Each once, and those of a sensor in their order. */
function expectAllOnce(names: readonly string[]): void {
  expect(names.toSorted()).toEqual(ALL.toSorted());
  for (let sensor = 0; sensor < SENSORS; sensor += 1) {
    const numbers = names.filter((name) => name.startsWith(`${sensor}/`)).map((name) => Number(name.split('/')[1]));
    expect(numbers).toEqual(numbers.toSorted((left, right) => left - right));
  }
}

describe.each([4, 5] as const)('MQTT version %s', (version) => {
  test('MQTT-22 none is lost or doubled while connections are cut anywhere', { timeout: 120_000 }, async () => {
    // Short connections see nothing but the handshake, long ones break between messages and acknowledgements.
    const budgets = fc.sample(fc.oneof(fc.nat(120), fc.integer({ min: 120, max: 12_000 })), { seed: 6, numRuns: 40 });
    const broker = await testBroker();
    const proxy = await cuttingTcpProxy(broker.port, () => budgets.shift() ?? Number.POSITIVE_INFINITY);
    const world = await sensorLog();
    let batches = 0;
    world.before = () => {
      batches += 1;
      if (batches % 7 === 0) throw new Error('cannot store');
    };
    const { source } = world.publish({ url: proxy.url, version });
    await world.until(() => source.health().state !== 'starting');
    publishAll(testPublisher(broker));
    await world.until(() => world.drafts.length >= ALL.length);
    expectAllOnce(world.names());
    expect(proxy.cuts()).toBeGreaterThan(10);
  });

  test('MQTT-22 none is lost or doubled when the broker restarts', { timeout: 60_000 }, async () => {
    const broker = await testBroker();
    const publisher = testPublisher(broker);
    const world = await sensorLog();
    const { source } = world.publish({ url: broker.url, version });
    await world.until(() => source.health().state === 'ok');
    // Storing is slow, so that messages are under way when the broker stops.
    world.before = () => delay(2);
    publishAll(publisher);
    await world.until(() => world.drafts.length >= 100);
    await broker.stop();
    await world.until(() => source.health().state === 'failing');
    await broker.start();
    await world.until(() => world.drafts.length >= ALL.length);
    expectAllOnce(world.names());
    expect(source.health().errors).not.toHaveProperty('ERR_MQTT_SESSION_LOST');
  });

  test('MQTT-22 none is lost or doubled when the source restarts', { timeout: 60_000 }, async () => {
    const broker = await testBroker();
    const publisher = testPublisher(broker);
    const world = await sensorLog();
    const first = world.publish({ url: broker.url, version });
    await world.until(() => first.source.health().state === 'ok');
    publishAll(publisher, ALL.slice(0, ALL.length / 2));
    await world.until(() => world.drafts.length >= 100);
    await first.stop();
    publishAll(publisher, ALL.slice(ALL.length / 2));
    await publisher.settled();
    world.publish({ url: broker.url, version });
    await world.until(() => world.drafts.length >= ALL.length);
    expectAllOnce(world.names());
  });

  test('MQTT-4 what is published while nobody is there comes when the source is', async () => {
    const broker = await testBroker();
    const publisher = testPublisher(broker);
    const world = await sensorLog();
    const first = world.publish({ url: broker.url, version, mapping: states });
    await world.until(() => first.source.health().state === 'ok');
    await first.stop();
    await publisher.publish('sensors/a', JSON.stringify({ value: 1 }));
    await publisher.publish('sensors/a', JSON.stringify({ value: 2 }));
    world.publish({ url: broker.url, version, mapping: states });
    await world.until(() => world.drafts.length === 2);
    expect(world.names()).toEqual(['a', 'a']);
  });
});
