import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { generate, type IConnackPacket, type IPublishPacket, type Packet, parser } from 'mqtt-packet';
import { onTestFinished } from 'vitest';

/** A connection as a test plays the broker of it. */
interface BrokerSide {
  /** The next packet of the client. */
  next<Cmd extends Packet['cmd']>(cmd: Cmd): Promise<Extract<Packet, { cmd: Cmd }>>;
  send(...packets: readonly Packet[]): void;
  sendBytes(bytes: Uint8Array): void;
  /** Grants the connection and, where they are asked for, the topics. */
  accept(connack?: Partial<IConnackPacket>, asks?: boolean): Promise<void>;
  /** Sends a message of `sensors/NAME`. */
  publish(name: string, payload: unknown, changes?: Partial<IPublishPacket>): void;
  /** Waits until messages were acknowledged; their identifiers. */
  acknowledged(count: number): Promise<number[]>;
  cut(): void;
  /** Everything that came and was not asked for by `next`. */
  readonly received: readonly Packet[];
  readonly closed: Promise<unknown>;
}

/** A broker whose every word a test says. */
export interface ScriptedBroker {
  readonly url: string;
  /** The next connection that a client opens. */
  connection(): Promise<BrokerSide>;
  /** How many were opened. */
  count(): number;
}

export async function scriptedBroker(version: 4 | 5): Promise<ScriptedBroker> {
  const sides: BrokerSide[] = [];
  const sockets = new Set<Socket>();
  const waiters: (() => void)[] = [];
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    sides.push(sideOf(socket, version));
    for (const wake of waiters.splice(0)) wake();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    connection: async () => {
      while (sides.length === 0) await new Promise<void>((resolve) => waiters.push(resolve));
      return sides.shift() as BrokerSide;
    },
  };
}

function sideOf(socket: Socket, version: 4 | 5): BrokerSide {
  const received: Packet[] = [];
  const waiters: (() => void)[] = [];
  const reading = parser({ protocolVersion: version });
  reading.on('packet', (packet) => {
    received.push(packet);
    for (const wake of waiters.splice(0)) wake();
  });
  socket.on('data', (chunk: Buffer) => reading.parse(chunk));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  const came = () => new Promise<void>((resolve) => waiters.push(resolve));
  const side: BrokerSide = {
    received,
    closed,
    next: async (cmd) => {
      while (received.length === 0) await came();
      const packet = received.shift() as Packet;
      if (packet.cmd !== cmd) throw new Error(`${packet.cmd} came instead of ${cmd}`);
      return packet as never;
    },
    send: (...packets) => {
      for (const packet of packets) socket.write(generate(packet, { protocolVersion: version }));
    },
    sendBytes: (bytes) => void socket.write(bytes),
    accept: async (connack = {}, asks = true) => {
      await side.next('connect');
      side.send({ cmd: 'connack', sessionPresent: false, returnCode: 0, reasonCode: 0, ...connack });
      if (!asks) return;
      const { messageId = 0, subscriptions } = await side.next('subscribe');
      side.send({ cmd: 'suback', messageId, granted: subscriptions.map(({ qos }) => qos) });
    },
    publish: (name, payload, changes = {}) => {
      const text = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload);
      const base = { cmd: 'publish', topic: `sensors/${name}`, qos: 1, dup: false, retain: false } as const;
      side.send({ ...base, payload: text, ...changes });
    },
    acknowledged: async (wanted) => {
      const ids: number[] = [];
      while (ids.length < wanted) ids.push((await side.next('puback')).messageId as number);
      return ids;
    },
    cut: () => socket.destroy(),
  };
  return side;
}
