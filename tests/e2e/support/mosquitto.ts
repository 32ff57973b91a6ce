/* Mosquitto with sessions and messages on disk and queues without end, and a publisher that sends again what was not acknowledged. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { programPath } from '@ldes-live/bench/programs';
import { eventually } from '@ldes-live/test-support/eventually';
import { keptFolder } from '@ldes-live/test-support/folders';
import { reservedPort } from '@ldes-live/test-support/net';
import { generate, type IPublishPacket, type Packet, parser } from 'mqtt-packet';

/** A broker of its own, on loopback. */
export interface Broker {
  readonly port: number;
  readonly url: string;
  /** Its folder, for files that its configuration names. */
  readonly folder: string;
  /** Ends it in order; what it keeps is on disk. */
  stop(): Promise<void>;
  /** Starts it again at the same port over what it kept. */
  start(): Promise<void>;
  /** Ends it, and forgets what it kept. */
  close(): Promise<void>;
}

export const BROKER_PROGRAM = 'mosquitto';

/** @param lines - further lines of its configuration; given its folder */
export async function startBroker(
  lines: (folder: string) => readonly string[] = () => ['allow_anonymous true'],
): Promise<Broker> {
  const port = await reservedPort();
  const folder = await keptFolder();
  const configuration = [
    `listener ${port} 127.0.0.1`,
    'persistence true',
    `persistence_location ${folder}/`,
    'autosave_interval 0',
    'max_queued_messages 0',
    'log_dest stderr',
    'log_type error',
    // Started by root it would work as another user, who may not write here.
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    ...lines(folder),
  ];
  await writeFile(`${folder}/mosquitto.conf`, `${configuration.join('\n')}\n`);
  let child: ChildProcess | undefined;
  const end = () => child?.kill('SIGKILL');
  process.on('exit', end);
  const broker: Broker = {
    port,
    url: `mqtt://127.0.0.1:${port}`,
    folder,
    start: async () => {
      child = spawn(programPath(BROKER_PROGRAM), ['-c', `${folder}/mosquitto.conf`], { stdio: 'ignore' });
      await eventually(async () => {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect').finally(() => socket.destroy());
      });
    },
    stop: async () => {
      const ending = child;
      child = undefined;
      if (!ending || ending.exitCode !== null) return;
      const ended = once(ending, 'close');
      ending.kill('SIGTERM');
      await ended;
    },
    close: async () => {
      await broker.stop();
      process.off('exit', end);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await broker.start();
  return broker;
}

/** A publisher at QoS 1 that sends again what was not acknowledged, as a sensor's gateway does. */
export interface Publisher {
  /** Sends a message now, or once there is a connection again; resolves when the broker has it. */
  publish(topic: string, payload: string, options?: { readonly retain?: boolean }): Promise<void>;
  /** Waits until the broker has all of them. */
  settled(): Promise<void>;
  close(): void;
}

/** How long it waits after a connection that broke off. */
const RETRY_MS = 20;

/** Connects to a broker on loopback by MQTT 3.1.1, again and again until it is closed. */
export function createPublisher(port: number, clientId: string): Publisher {
  const sent = new Map<number, { readonly packet: IPublishPacket; readonly settle: () => void }>();
  const pending = new Set<Promise<void>>();
  const closing = new AbortController();
  let socket: Socket | undefined;
  let lastId = 0;

  const session = async () => {
    const opened = connect(port, '127.0.0.1').setNoDelay(true);
    const reading = parser({ protocolVersion: 4 });
    reading.on('packet', (packet: Packet) => {
      if (packet.cmd === 'connack') {
        socket = opened;
        for (const { packet: unsure } of sent.values()) opened.write(generate({ ...unsure, dup: true }));
      }
      if (packet.cmd !== 'puback' || packet.messageId === undefined) return;
      sent.get(packet.messageId)?.settle();
      sent.delete(packet.messageId);
    });
    const hello = {
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clientId,
      clean: true,
      keepalive: 0,
    } as const;
    opened.on('data', (chunk: Buffer) => reading.parse(chunk));
    opened.on('connect', () => opened.write(generate(hello)));
    opened.on('error', () => undefined);
    const end = () => opened.destroy();
    closing.signal.addEventListener('abort', end);
    await once(opened, 'close').catch(() => undefined);
    closing.signal.removeEventListener('abort', end);
    socket = undefined;
  };
  const keep = async () => {
    for (; !closing.signal.aborted; await delay(RETRY_MS)) await session();
  };
  void keep();

  return {
    publish: (topic, payload, { retain = false } = {}) => {
      lastId += 1;
      const messageId = lastId;
      const packet: IPublishPacket = { cmd: 'publish', topic, payload, qos: 1, dup: false, retain, messageId };
      const settled = new Promise<void>((settle) => sent.set(messageId, { packet, settle }));
      pending.add(settled);
      socket?.write(generate(packet));
      return settled.finally(() => pending.delete(settled));
    },
    settled: async () => void (await Promise.all(pending)),
    close: () => closing.abort(),
  };
}
