/* A broker that a test plays, and a source of its messages that a consumer follows. */
import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Draft } from '@ldes-live/rdf-stream';
import { listen, whenClosed } from '@ldes-live/test-support/net';
import { generate, type IConnackPacket, type IPublishPacket, type Packet, parser } from 'mqtt-packet';
import { onTestFinished } from 'vitest';
import { type CompiledMapping, compileMapping, parseMapping } from '../../src/index.ts';
import type { MqttEnvironment } from '../../src/mqtt/connection.ts';
import { createMqttSource, type MqttSourceOptions } from '../../src/mqtt/source.ts';
import type { SourceEvent } from '../../src/source.ts';
import { LatestMap } from '../latest-map.ts';

/** A broker whose every word a test says. */
export async function scriptedBroker(version: 4 | 5) {
  const sides: BrokerSide[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    sides.push(sideOf(socket, version));
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  /** The next connection that a client opens. */
  const connection = async (): Promise<BrokerSide> => {
    while (sides.length === 0) await once(server, 'connection');
    return sides.shift() as BrokerSide;
  };
  /** The next connection, granted. */
  const accepted = async (...granted: Parameters<BrokerSide['accept']>): Promise<BrokerSide> => {
    const side = await connection();
    await side.accept(...granted);
    return side;
  };
  /** The next connection, granted with the session of the one before it. */
  const resumed = () => accepted({ sessionPresent: true }, false);
  return { url: `mqtt://127.0.0.1:${port}`, connection, accepted, resumed };
}

/** A connection as a test plays the broker of it. */
type BrokerSide = ReturnType<typeof sideOf>;

function sideOf(socket: Socket, version: 4 | 5) {
  const received: Packet[] = [];
  const reading = parser({ protocolVersion: version });
  reading.on('packet', (packet) => received.push(packet));
  socket.on('data', (chunk: Buffer) => reading.parse(chunk));
  let lastId = 0;
  /** The next packet of the client. */
  const next = async <Cmd extends Packet['cmd']>(cmd: Cmd) => {
    while (received.length === 0) await once(reading, 'packet');
    const packet = received.shift() as Packet;
    if (packet.cmd !== cmd) throw new Error(`${packet.cmd} came instead of ${cmd}`);
    return packet as Extract<Packet, { cmd: Cmd }>;
  };
  const send = (...packets: readonly Packet[]) => {
    for (const packet of packets) socket.write(generate(packet, { protocolVersion: version }));
  };
  /** Grants the connection and, where they are asked for, the topics. */
  const accept = async (connack: Partial<IConnackPacket> = {}, asks = true) => {
    await next('connect');
    send({ cmd: 'connack', sessionPresent: false, returnCode: 0, reasonCode: 0, ...connack });
    if (!asks) return;
    const { messageId = 0, subscriptions } = await next('subscribe');
    send({ cmd: 'suback', messageId, granted: subscriptions.map(({ qos }) => qos) });
  };
  /** Sends a message of `sensors/NAME`; unless told otherwise, by the identifier after that of the one before. */
  const publish = (name: string, payload: unknown, changes: Partial<IPublishPacket> = {}) => {
    lastId = changes.messageId ?? lastId + 1;
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const base = { cmd: 'publish', topic: `sensors/${name}`, qos: 1, dup: false, retain: false } as const;
    send({ ...base, payload: text, messageId: lastId, ...changes });
  };
  /** Waits until messages were acknowledged; their identifiers. */
  const acknowledged = async (count: number) => {
    const ids: number[] = [];
    while (ids.length < count) ids.push((await next('puback')).messageId as number);
    return ids;
  };
  return {
    next,
    send,
    accept,
    publish,
    acknowledged,
    /** Sends a message, and waits until it was acknowledged. */
    deliver: (...message: Parameters<typeof publish>) => {
      publish(...message);
      return acknowledged(1);
    },
    sendText: (text: string) => void socket.write(text),
    cut: () => void socket.destroy(),
    /** Everything that came and was not asked for by `next`. */
    received: received as readonly Packet[],
    closed: whenClosed(socket),
  };
}

const PUBLIC_URL = 'https://live.example.org/';
export const ENTITY = 'https://live.example.org/sensors/';

const of = {
  variables: { sensor: { path: '$topic[1]' } },
  versionTime: { path: 'at', convert: 'iso' },
  properties: [
    { path: 'value', predicate: 'http://www.w3.org/ns/sosa/hasSimpleResult', required: true },
    { path: 'at', predicate: 'http://www.w3.org/ns/sosa/resultTime', convert: 'iso' },
  ],
};

/** The mapping of `{ value, at }` by topic `sensors/NAME`: the state of each sensor, unless told otherwise. */
export function readingMapping(more: object = { subject: '{+base}sensors/{sensor}' }): CompiledMapping {
  const mapping = parseMapping({ ...of, ...more });
  return compileMapping(mapping, { publicUrl: PUBLIC_URL, streamUrl: `${PUBLIC_URL}sensors` });
}

/** The same as observations of their own: `{ n, value, at }`. */
export function observationMapping(): CompiledMapping {
  const subject = '{+base}observations/{sensor}/{n}';
  return readingMapping({ kind: 'observation', subject, series: '{+base}sensors/{sensor}' });
}

/** A source that a consumer follows, step by step if a test wants so. */
export type Following = ReturnType<typeof follow>;

/** Follows a source until the test ends; a consumer that cannot store begins anew. */
export function follow(
  options: Partial<MqttSourceOptions> & Pick<MqttSourceOptions, 'url'>,
  environment: Partial<MqttEnvironment> = {},
) {
  const events: SourceEvent[] = [];
  const latest = new LatestMap();
  const stop = new AbortController();
  const topics = [{ filter: 'sensors/+' }];
  const usual = { clientId: 'ldes-live-test', topics, mapping: readingMapping(), reconnect: { baseMs: 1, maxMs: 20 } };
  const source = createMqttSource({ ...usual, ...options }, environment);
  source.onPoll((event) => void events.push(event));
  const consume = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        for await (const batch of source.drafts(latest, stop.signal)) {
          await following.storing(batch);
          latest.append(batch);
        }
      } catch (thrown) {
        if ((thrown as Error).message !== 'cannot store') throw thrown;
      }
    }
  };
  const following = {
    source,
    latest,
    /** What was reported so far, and the problems among it. */
    events,
    problems: () => events.flatMap((event) => ('problems' in event ? event.problems : [])),
    stop,
    /** Settles with the consumer. */
    ended: Promise.resolve().then(consume),
    /** What storing a batch waits for, or throws. */
    storing: (_batch: readonly Draft[]): unknown => undefined,
  };
  onTestFinished(async () => {
    stop.abort();
    await following.ended;
  });
  return following;
}

/** Follows a broker that has accepted the connection and granted the topics. */
export async function followed(version: 4 | 5, options: Partial<MqttSourceOptions> = {}) {
  const broker = await scriptedBroker(version);
  const following = follow({ url: broker.url, version, ...options });
  return { broker, following, side: await broker.accepted() };
}

/** Keeps storing from ending until the test says so; `asked` when it has begun. */
export function holdStoring(following: Following) {
  const steps = new EventEmitter();
  const stored = once(steps, 'release');
  following.storing = () => {
    steps.emit('asked');
    return stored;
  };
  return { asked: once(steps, 'asked'), release: () => steps.emit('release') };
}
