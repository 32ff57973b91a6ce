import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { generate, type IPublishPacket, type Packet, parser } from 'mqtt-packet';

/** A publisher at QoS 1 that sends again what was not acknowledged, as a sensor's gateway does. */
export interface Publisher {
  /** Sends a message now, or once there is a connection again; resolves when the broker has it. */
  publish(topic: string, payload: string | Uint8Array, options?: { readonly retain?: boolean }): Promise<void>;
  /** Whether the broker has accepted the connection. */
  isConnected(): boolean;
  /** Waits until the broker has all of them. */
  settled(): Promise<void>;
  close(): void;
}

interface Sent {
  readonly packet: IPublishPacket;
  readonly settle: () => void;
}

/**
 * Connects to a broker on loopback by MQTT 3.1.1, again and again until it is closed.
 *
 * @param name - its client identifier
 * @param retryMs - how long it waits after a connection that broke off, milliseconds
 */
export function createPublisher(port: number, name: string, retryMs: () => number = () => 20): Publisher {
  const sent = new Map<number, Sent>();
  const closing = new AbortController();
  let waiters: (() => void)[] = [];
  let socket: Socket | undefined;
  let nextId = 0;

  const acknowledged = (messageId: number): void => {
    sent.get(messageId)?.settle();
    sent.delete(messageId);
    if (sent.size > 0) return;
    for (const wake of waiters) wake();
    waiters = [];
  };

  const session = async (): Promise<void> => {
    const opened = connect(port, '127.0.0.1');
    opened.setNoDelay(true);
    opened.on('error', () => undefined);
    const reading = parser({ protocolVersion: 4 });
    reading.on('packet', (packet: Packet) => {
      if (packet.cmd === 'connack') {
        socket = opened;
        for (const { packet: unsure } of sent.values()) opened.write(generate({ ...unsure, dup: true }));
      }
      if (packet.cmd === 'puback' && packet.messageId !== undefined) acknowledged(packet.messageId);
    });
    opened.on('data', (chunk: Buffer) => reading.parse(chunk));
    opened.on('connect', () => {
      opened.write(
        generate({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clientId: name, clean: true, keepalive: 0 }),
      );
    });
    const end = () => opened.destroy();
    closing.signal.addEventListener('abort', end);
    if (closing.signal.aborted) end();
    await once(opened, 'close').catch(() => undefined);
    closing.signal.removeEventListener('abort', end);
    socket = undefined;
  };

  const keep = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await session();
      await delay(retryMs(), undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void keep();

  const freeId = (): number => {
    do nextId = (nextId % 65_535) + 1;
    while (sent.has(nextId));
    return nextId;
  };

  return {
    publish: (topic, payload, { retain = false } = {}) =>
      new Promise((settle) => {
        const messageId = freeId();
        const body = typeof payload === 'string' ? payload : Buffer.from(payload);
        const packet: IPublishPacket = { cmd: 'publish', topic, payload: body, qos: 1, dup: false, retain, messageId };
        sent.set(messageId, { packet, settle });
        socket?.write(generate(packet));
      }),
    isConnected: () => socket !== undefined,
    settled: async () => {
      if (sent.size > 0) await new Promise<void>((resolve) => waiters.push(resolve));
    },
    close: () => closing.abort(),
  };
}
