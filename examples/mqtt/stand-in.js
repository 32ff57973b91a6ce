import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { generate } from 'mqtt-packet';
import { portInUse } from '../port-in-use.js';

const ROOMS = ['kitchen', 'hall', 'attic'];
const { values } = parseArgs({ options: { port: { type: 'string', default: '1883' } } });
const port = Number(values.port);

// Mosquitto would end without a word, and the sensors publish to whatever broker is there.
const choose = '--port NUMBER, and write that in config.yml too';
const probe = createServer().once('error', portInUse(port, choose)).listen(port, '127.0.0.1');
await once(probe, 'listening');
probe.close();
await once(probe, 'close');

// A broker that takes anybody, on loopback. Some systems have it where only administrators look.
const folder = await mkdtemp(join(tmpdir(), 'ldes-live-mqtt-'));
const settings = join(folder, 'mosquitto.conf');
await writeFile(settings, `listener ${port} 127.0.0.1\nallow_anonymous true\n`);
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
const broker = spawn('mosquitto', ['-c', settings], { env, stdio: 'ignore' });
broker.once('error', ({ message }) => {
  process.stderr.write(
    `Mosquitto could not be started (${message}): install it, for instance by "apt install mosquitto".\n`,
  );
});
const ended = new Promise((resolve) => broker.once('close', resolve));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => broker.kill());
void ended.then(async () => {
  await rm(folder, { recursive: true, force: true });
  process.exit();
});

const sensors = await connected();
sensors.write(
  generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clientId: 'sensors', clean: true, keepalive: 0 }),
);
process.stdout.write(`the stand-in publishes to mqtt://localhost:${port}\n`);
// The broker acknowledges each message; nobody here needs to know.
sensors.resume();
for (let messageId = 1; ; ) {
  for (const [number, room] of ROOMS.entries()) {
    const value = Number((19 + number + Math.sin(Date.now() / 30_000)).toFixed(2));
    const payload = JSON.stringify({ value, unit: 'Cel', time: Date.now() });
    const topic = `home/${room}/temperature`;
    sensors.write(generate({ cmd: 'publish', topic, payload, qos: 1, messageId, retain: true, dup: false }));
    messageId = (messageId % 65_535) + 1;
  }
  await setTimeout(1000);
}

/** @returns {Promise<import('node:net').Socket>} */
async function connected() {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    if (isOpen) return socket;
    await setTimeout(50);
  }
}
