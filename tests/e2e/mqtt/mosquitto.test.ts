import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { programPath } from '@ldes-live/bench/fronts';
import { describe, expect, test } from 'vitest';
import { sensorLog, skipMissingPrograms, states, testBroker, testPublisher } from './broker-world.ts';

skipMissingPrograms('mosquitto_passwd', 'openssl');

describe.each([4, 5] as const)('MQTT version %s', (version) => {
  test('MQTT-16 MQTT-15 what the broker keeps is taken, and ends when it is cleared', async () => {
    const broker = await testBroker();
    const publisher = testPublisher(broker);
    await publisher.publish('sensors/a', JSON.stringify({ value: 1 }), { retain: true });
    await publisher.publish('sensors/b', JSON.stringify({ value: 1 }), { retain: true });
    const world = await sensorLog();
    world.publish({ url: broker.url, version, mapping: states });
    await world.until(() => world.log.latest.size === 2);
    await publisher.publish('sensors/a', '', { retain: true });
    await world.until(() => world.log.latest.size === 1);
    expect(world.drafts.at(-1)).toMatchObject({ kind: 'delete', entity: 'https://live.example.org/sensors/a' });
  });

  test('MQTT-2 MQTT-9 a password is sent, and a wrong one is refused in words that do not show it', async () => {
    const broker = await testBroker((folder) => {
      execFileSync(programPath('mosquitto_passwd'), ['-b', '-c', `${folder}/passwords`, 'ann', 'opensesame']);
      return ['allow_anonymous false', `password_file ${folder}/passwords`];
    });
    const world = await sensorLog();
    const withUser = (password: string) => broker.url.replace('//', `//ann:${password}@`);
    const refused = world.publish({ url: withUser('abracadabra'), version });
    await world.until(() => (refused.source.health().errors.ERR_MQTT_REFUSED ?? 0) > 1);
    const health = refused.source.health();
    expect(health.state).toBe('starting');
    expect(health.lastError?.message).toMatch(/not allowed to/);
    expect(JSON.stringify(health)).not.toContain('abracadabra');
    await refused.stop();
    const granted = world.publish({ url: withUser('opensesame'), version });
    await world.until(() => granted.source.health().state === 'ok');
  });

  test('MQTT-11 a message that is too large is reported, and those behind it come', async () => {
    const broker = await testBroker();
    const publisher = testPublisher(broker);
    const world = await sensorLog();
    const { source } = world.publish({ url: broker.url, version, limits: { limitPacketBytes: 5000 }, mapping: states });
    await world.until(() => source.health().state === 'ok');
    await publisher.publish('sensors/large', JSON.stringify({ value: 'x'.repeat(200_000) }));
    await publisher.publish('sensors/small', JSON.stringify({ value: 'x'.repeat(4000) }));
    await world.until(() => world.drafts.length === 1);
    expect(world.names()).toEqual(['small']);
    await world.until(() => source.health().errors.ERR_MQTT_MESSAGE_TOO_LARGE === 1);
  });

  test('MQTT-13 while one message may wait at a time, all of many come', { timeout: 60_000 }, async () => {
    const broker = await testBroker();
    const publisher = testPublisher(broker);
    const world = await sensorLog();
    const limits = { limitWaitingMessages: 1, limitBatchMessages: 1 };
    const { source } = world.publish({ url: broker.url, version, mapping: states, limits });
    await world.until(() => source.health().state === 'ok');
    for (let n = 0; n < 200; n += 1) void publisher.publish('sensors/a', JSON.stringify({ value: n }));
    await world.until(() => world.drafts.length === 200);
    expect(source.health()).toMatchObject({ state: 'ok', polls: { bad: 0 } });
  });

  test('MQTT-9 two who use one client identifier do not race for the session', { timeout: 60_000 }, async () => {
    const broker = await testBroker();
    const world = await sensorLog();
    const reconnect = { baseMs: 50, maxMs: 400 };
    const rivals = [1, 2].map(() => world.publish({ url: broker.url, version, reconnect }));
    const bad = () => rivals.reduce((sum, { source }) => sum + source.health().polls.bad, 0);
    const startedAtMs = Date.now();
    await world.until(() => bad() >= 12);
    // Waits that always began at the first one would be over within 12 times 50 ms.
    expect(Date.now() - startedAtMs).toBeGreaterThan(800);
  });

  test('MQTT-3 over TLS a certificate is checked', async () => {
    const broker = await testBroker((folder) => {
      makeCertificate(folder);
      return ['allow_anonymous true', `certfile ${folder}/certificate.pem`, `keyfile ${folder}/key.pem`];
    });
    const url = broker.url.replace('mqtt://127.0.0.1', 'mqtts://localhost');
    const world = await sensorLog();
    const distrusting = world.publish({ url, version });
    await world.until(() => (distrusting.source.health().errors.ERR_MQTT_UNREACHABLE ?? 0) > 0);
    expect(distrusting.source.health().lastError?.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    await distrusting.stop();
    const authorities = readFileSync(`${broker.folder}/certificate.pem`, 'utf8');
    const trusting = world.publish({ url, version, tls: { authorities } });
    await world.until(() => trusting.source.health().state === 'ok');
  });
});

function makeCertificate(folder: string): void {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/certificate.pem`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync(programPath('openssl'), ['req', '-x509', ...curve, ...names, ...files], { stdio: 'ignore' });
}
