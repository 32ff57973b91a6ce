/* The MQTT source against Mosquitto, each test with a broker of its own. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { programPath } from '@ldes-live/bench/programs';

import { createMemoryStore } from '@ldes-live/log';
import { type Draft, describeStream } from '@ldes-live/rdf-stream';
import { compileMapping, createMqttSource, type MqttSourceOptions, parseMapping } from '@ldes-live/sources';
import { eventually } from '@ldes-live/test-support/eventually';
import { fc } from '@ldes-live/test-support/properties';
import { describe, expect, type TestContext, test } from 'vitest';
import { cuttingProxy } from './support/cutting-proxy.ts';
import { BROKER_PROGRAM, createPublisher, type Publisher, startBroker } from './support/mosquitto.ts';
import { need } from './support/programs.ts';

const STREAM = describeStream({ publicUrl: 'https://live.example.org/', name: 'sensors' });

/** Observations `{ n, value }` of topics `sensors/NAME`. */
const observations = mappingOf({
  kind: 'observation',
  subject: '{+base}observations/{sensor}/{n}',
  series: '{+base}sensors/{sensor}',
});

/** States `{ value }` of topics `sensors/NAME`. */
const states = mappingOf({ subject: '{+base}sensors/{sensor}' });

function mappingOf(kind: object) {
  const variables = { sensor: { path: '$topic[1]' } };
  const properties = [{ path: 'value', predicate: 'http://www.w3.org/ns/sosa/hasSimpleResult' }];
  const { publicUrl, url: streamUrl } = STREAM;
  return compileMapping(parseMapping({ ...kind, variables, properties, leftOut: ['n'] }), { publicUrl, streamUrl });
}

/** A broker, what publishes to it, and a log that sources fill one after the other; all end with the test. */
async function brokerWorld(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  lines?: (folder: string) => readonly string[],
) {
  const broker = await startBroker(lines);
  onTestFinished(() => broker.close());
  const publisher = createPublisher(broker.port, 'publisher');
  onTestFinished(() => publisher.close());
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(STREAM);
  // All that was stored, in order.
  const drafts: Draft[] = [];
  // What happens before a batch is stored; what it throws is why it is not.
  const storing: { before: () => void | Promise<void> } = { before: () => undefined };
  // Starts to publish; a batch that cannot be stored is asked for again.
  const publish = (options: Partial<MqttSourceOptions> = {}) => {
    const stopping = new AbortController();
    const source = createMqttSource({
      url: broker.url,
      clientId: 'ldes-live-test',
      topics: [{ filter: 'sensors/+' }],
      mapping: observations,
      reconnect: { baseMs: 5, maxMs: 50 },
      ...options,
    });
    const run = async () => {
      while (!stopping.signal.aborted) {
        try {
          for await (const batch of source.drafts(log.latest, stopping.signal)) {
            await storing.before();
            await log.append(batch);
            drafts.push(...batch);
          }
        } catch (thrown) {
          if ((thrown as Error).message !== 'cannot store') throw thrown;
        }
      }
    };
    const running = run();
    const stop = () => {
      stopping.abort();
      return running;
    };
    onTestFinished(stop);
    return { source, stop };
  };
  // The same, when the broker has granted it.
  const publishing = async (options: Partial<MqttSourceOptions>) => {
    const started = publish(options);
    await until(() => started.source.health().state === 'ok');
    return started;
  };
  // Names of what was stored, as `SENSOR/N` of observations and `SENSOR` of states.
  const names = () =>
    drafts.map((draft) => {
      const iri = draft.kind === 'upsert' && draft.id !== undefined ? draft.id : draft.entity;
      return iri.replace(/^.*?\/(observations|sensors)\//, '');
    });
  return { broker, publisher, log, drafts, storing, publish, publishing, names };
}

/** Waits until something holds. */
const until = (condition: () => boolean) =>
  eventually(() => expect(condition()).toBe(true), { forMs: 50_000, everyMs: 5 });

const SENSORS = 20;
const EACH = 50;
const ALL = Array.from({ length: SENSORS * EACH }, (_, index) => `${index % SENSORS}/${Math.floor(index / SENSORS)}`);

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

describe.concurrent.each([4, 5] as const)('MQTT version %s', { timeout: 120_000 }, (version) => {
  need(BROKER_PROGRAM, 'mosquitto_passwd', 'openssl');

  test('MQTT-5 none is lost or doubled while connections are cut anywhere', async (context) => {
    // Short connections see nothing but the handshake, long ones break between messages and acknowledgements.
    const budgets = fc.sample(fc.oneof(fc.nat(120), fc.integer({ min: 120, max: 12_000 })), { seed: 6, numRuns: 40 });
    const world = await brokerWorld(context);
    const proxy = await cuttingProxy(world.broker.port, () => Math.max(1, budgets.shift() ?? Number.POSITIVE_INFINITY));
    context.onTestFinished(() => proxy.close());
    let batches = 0;
    world.storing.before = () => {
      batches += 1;
      if (batches % 7 === 0) throw new Error('cannot store');
    };
    const { source } = world.publish({ url: `mqtt://127.0.0.1:${proxy.port}`, version });
    await until(() => source.health().state !== 'starting');
    publishAll(world.publisher);
    await until(() => world.drafts.length >= ALL.length);
    expectAllOnce(world.names());
    expect(proxy.cuts()).toBeGreaterThan(10);
  });

  test('MQTT-5 none is lost or doubled when the broker restarts', async (context) => {
    const world = await brokerWorld(context);
    const { broker, publisher } = world;
    const { source } = await world.publishing({ version });
    // Storing is slow, so that messages are under way when the broker stops.
    world.storing.before = () => delay(2);
    publishAll(publisher);
    await until(() => world.drafts.length >= 100);
    await broker.stop();
    await until(() => source.health().state === 'failing');
    await broker.start();
    await until(() => world.drafts.length >= ALL.length);
    expectAllOnce(world.names());
    expect(source.health().errors).not.toHaveProperty('ERR_MQTT_SESSION_LOST');
  });

  test('MQTT-5 none is lost or doubled when the source restarts', async (context) => {
    const world = await brokerWorld(context);
    const first = await world.publishing({ version });
    publishAll(world.publisher, ALL.slice(0, ALL.length / 2));
    await until(() => world.drafts.length >= 100);
    await first.stop();
    publishAll(world.publisher, ALL.slice(ALL.length / 2));
    await world.publisher.settled();
    world.publish({ version });
    await until(() => world.drafts.length >= ALL.length);
    expectAllOnce(world.names());
  });

  test('MQTT-4 what is published while nobody is there comes when the source is', async (context) => {
    const world = await brokerWorld(context);
    const first = await world.publishing({ version, mapping: states });
    await first.stop();
    await world.publisher.publish('sensors/a', JSON.stringify({ value: 1 }));
    await world.publisher.publish('sensors/a', JSON.stringify({ value: 2 }));
    world.publish({ version, mapping: states });
    await until(() => world.drafts.length === 2);
    expect(world.names()).toEqual(['a', 'a']);
  });

  test('MQTT-15 what the broker keeps is taken, and ends when it is cleared', async (context) => {
    const world = await brokerWorld(context);
    await world.publisher.publish('sensors/a', JSON.stringify({ value: 1 }), { retain: true });
    await world.publisher.publish('sensors/b', JSON.stringify({ value: 1 }), { retain: true });
    world.publish({ version, mapping: states });
    await until(() => world.log.latest.size === 2);
    await world.publisher.publish('sensors/a', '', { retain: true });
    await until(() => world.log.latest.size === 1);
    expect(world.drafts.at(-1)).toMatchObject({ kind: 'delete', entity: 'https://live.example.org/sensors/a' });
  });

  test('MQTT-2 MQTT-9 a password is sent, and a wrong one is refused in words that do not show it', async (context) => {
    const world = await brokerWorld(context, (folder) => {
      execFileSync(programPath('mosquitto_passwd'), ['-b', '-c', `${folder}/passwords`, 'ann', 'opensesame']);
      return ['allow_anonymous false', `password_file ${folder}/passwords`];
    });
    const withUser = (password: string) => world.broker.url.replace('//', `//ann:${password}@`);
    const refused = world.publish({ url: withUser('abracadabra'), version });
    await until(() => (refused.source.health().errors.ERR_MQTT_REFUSED ?? 0) > 1);
    const health = refused.source.health();
    expect(health.state).toBe('starting');
    expect(health.lastError?.message).toMatch(/not allowed to/);
    expect(JSON.stringify(health)).not.toContain('abracadabra');
    await refused.stop();
    await world.publishing({ url: withUser('opensesame'), version });
  });

  test('MQTT-11 a message that is too large is reported, and those behind it come', async (context) => {
    const world = await brokerWorld(context);
    const { source } = await world.publishing({ version, limits: { limitPacketBytes: 5000 }, mapping: states });
    await world.publisher.publish('sensors/large', JSON.stringify({ value: 'x'.repeat(200_000) }));
    await world.publisher.publish('sensors/small', JSON.stringify({ value: 'x'.repeat(4000) }));
    await until(() => world.drafts.length === 1);
    expect(world.names()).toEqual(['small']);
    await until(() => source.health().errors.ERR_MQTT_MESSAGE_TOO_LARGE === 1);
  });

  test('MQTT-13 while one message may wait at a time, all of many come', async (context) => {
    const world = await brokerWorld(context);
    const limits = { limitWaitingMessages: 1, limitBatchMessages: 1 };
    const { source } = await world.publishing({ version, mapping: states, limits });
    for (let n = 0; n < 200; n += 1) void world.publisher.publish('sensors/a', JSON.stringify({ value: n }));
    await until(() => world.drafts.length === 200);
    expect(source.health()).toMatchObject({ state: 'ok', polls: { bad: 0 } });
  });

  test('MQTT-9 two who use one client identifier do not race for the session', async (context) => {
    const world = await brokerWorld(context);
    const reconnect = { baseMs: 50, maxMs: 400 };
    const rivals = [1, 2].map(() => world.publish({ version, reconnect }));
    const bad = () => rivals.reduce((sum, { source }) => sum + source.health().polls.bad, 0);
    const startedAtMs = Date.now();
    await until(() => bad() >= 12);
    // Waits that always began at the first one would be over within 12 times 50 ms.
    expect(Date.now() - startedAtMs).toBeGreaterThan(800);
  });

  test('MQTT-3 over TLS a certificate is checked', async (context) => {
    const world = await brokerWorld(context, (folder) => {
      makeCertificate(folder);
      return ['allow_anonymous true', `certfile ${folder}/certificate.pem`, `keyfile ${folder}/key.pem`];
    });
    const { broker } = world;
    const url = broker.url.replace('mqtt://127.0.0.1', 'mqtts://localhost');
    const distrusting = world.publish({ url, version });
    await until(() => (distrusting.source.health().errors.ERR_MQTT_UNREACHABLE ?? 0) > 0);
    expect(distrusting.source.health().lastError?.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    await distrusting.stop();
    const authorities = readFileSync(`${broker.folder}/certificate.pem`, 'utf8');
    await world.publishing({ url, version, tls: { authorities } });
  });
});

function makeCertificate(folder: string): void {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/certificate.pem`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync(programPath('openssl'), ['req', '-x509', ...curve, ...names, ...files], { stdio: 'ignore' });
}
