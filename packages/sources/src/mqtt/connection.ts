/* One connection to a broker: opens it, asks for the session and the topics, keeps messages until they are taken, and
 * watches for signs of life.
 *
 * connecting (CONNECT sent) -> subscribing (SUBSCRIBE sent) -> live -> over, from any of them, with the reason. A session
 * that the broker still has needs no SUBSCRIBE. What waits can still be taken when the connection is over:
 *
 *   { topic: 'sensors/a', payload: <7b 7d>, messageId: 7, dup: false, retain: false, receivedAtMs: 1763805605000 } */

import { EventEmitter, once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import type { IConnackPacket, ISubackPacket } from 'mqtt-packet';
import { errors } from '../errors.ts';
import { type SourceEnvironment, systemEnvironment } from '../source.ts';
import {
  codeOf,
  createPacketReader,
  createPacketWriter,
  type InboundPacket,
  type MessagePacket,
  reasonWords,
  type SessionSettings,
  SUBSCRIBE_ID,
} from './packets.ts';

/** Where a broker is. */
export interface MqttAddress {
  /** Name or number, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** As it may be shown: without user. */
  readonly shown: string;
}

/** How a connection is kept private; all texts are PEM. */
export interface MqttTls {
  /** Certificates of the authorities that may have signed the broker's. @defaultValue those of Node.js */
  readonly authorities?: string;
  /** The certificate of this client, where the broker asks for one. */
  readonly certificate?: string;
  /** The key of `certificate`. */
  readonly privateKey?: string;
}

/**
 * Opens the way to a broker: bytes in both directions.
 *
 * @param signal - ends the attempt: the promise rejects
 */
export type OpenSocket = (address: MqttAddress, tls: MqttTls, signal: AbortSignal) => Promise<Duplex>;

/** The world as a source of messages sees it. */
export interface MqttEnvironment extends Omit<SourceEnvironment, 'fetch'> {
  /** Opens the way to the broker. */
  readonly openSocket: OpenSocket;
}

/** The world as it is: by TCP, or, where the address is secure, by TLS with a certificate that is checked. */
export const systemMqttEnvironment: MqttEnvironment = {
  ...systemEnvironment,
  openSocket: async ({ host, port, isSecure }, { authorities: ca, certificate: cert, privateKey: key }, signal) => {
    // Numbers are no names that a server could be asked for.
    const servername = /^[\d.]+$|:/.test(host) ? undefined : host;
    const socket = isSecure ? connectTls({ host, port, ca, cert, key, servername }) : connectTcp(port, host);
    try {
      await once(socket, isSecure ? 'secureConnect' : 'connect', { signal });
      // Acknowledgements are few bytes, and a broker waits for them.
      socket.setNoDelay(true);
      return socket;
    } catch (thrown) {
      // Whatever else is wrong with it concerns nobody any more.
      socket.on('error', () => undefined).destroy();
      throw thrown;
    }
  },
};

/** What a connection needs to know. */
export interface ConnectionSettings extends SessionSettings {
  readonly address: MqttAddress;
  readonly tls: MqttTls;
  readonly limitPacketBytes: number;
  readonly limitWaitingBytes: number;
  readonly limitConnectMs: number;
}

/** A message as a broker delivered it, with its topic in full, also where the broker sent an alias. */
export interface MqttMessage extends MessagePacket {
  /** Epoch milliseconds. */
  readonly receivedAtMs: number;
}

/** A connection to a broker that has granted topics. */
export type MqttConnection = Omit<ReturnType<typeof startSession>, 'live'>;

type State =
  | { phase: 'connecting' | 'subscribing'; deadlineMs: number }
  /** Signs of life are asked for at `pingMs`; one that was asked for has to come until `deadlineMs`. */
  | { phase: 'live'; deadlineMs: number; pingMs: number }
  | { phase: 'over'; error: StreamError };

/** How long a connection that has been left may take to close before it is torn down, milliseconds. */
const LIMIT_CLOSE_MS = 1000;
/** How much is mapped and stored together, bytes: what is read of it takes many times as much memory. */
const TAKEN_BYTES = 1_048_576;
const PROTOCOL_ERROR = 0x82;
const ALIAS_INVALID = 0x94;
/** From here on, codes of SUBACK are refusals. */
const FIRST_REFUSAL = 128;

/**
 * Connects to a broker and subscribes.
 *
 * @param isSubscribed - the broker granted everything before: if it still has the session, it is not asked again
 * @param signal - ends the attempt: the error is then of no meaning
 * @returns the connection, live; or why there is none
 * @see specs/mqtt.md MQTT-9
 */
export async function openConnection(
  settings: ConnectionSettings,
  isSubscribed: boolean,
  environment: MqttEnvironment,
  signal: AbortSignal,
): Promise<MqttConnection | StreamError> {
  const socket = await openInTime(settings, environment, signal);
  if (isStreamError(socket)) return socket;
  const connection = startSession(socket, settings, isSubscribed, environment);
  await connection.live(signal);
  const error = connection.error();
  if (!error && !signal.aborted) return connection;
  await connection.leave();
  return error ?? (connection.error() as StreamError);
}

async function openInTime(
  { address, tls, limitConnectMs: limitMs }: ConnectionSettings,
  { openSocket, sleep }: MqttEnvironment,
  signal: AbortSignal,
): Promise<Duplex | StreamError> {
  const url = address.shown;
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  let isLate = false;
  void sleep(limitMs, ends).then(
    () => {
      isLate = true;
      over.abort();
    },
    () => undefined,
  );
  try {
    return await openSocket(address, tls, ends);
  } catch (thrown) {
    if (isLate) return errors.ERR_MQTT_TIMEOUT({ url, limitMs, phase: 'opening' }, thrown);
    const { code, message } = thrown as NodeJS.ErrnoException;
    return errors.ERR_MQTT_UNREACHABLE({ url, reason: code ?? message }, thrown);
  } finally {
    over.abort();
  }
}

function startSession(
  socket: Duplex,
  settings: ConnectionSettings,
  isSubscribed: boolean,
  { clock, sleep }: MqttEnvironment,
) {
  const { version, topics, limitConnectMs } = settings;
  const url = settings.address.shown;
  const read = createPacketReader(version, settings.limitPacketBytes);
  const packets = createPacketWriter(settings);
  const changes = new EventEmitter();
  const aliases = new Map<number, string>();
  const problems: StreamError[] = [];
  let state: State = { phase: 'connecting', deadlineMs: clock() + limitConnectMs };
  let keepAliveMs = settings.keepAliveSeconds * 1000;
  let isSessionPresent = false;
  const waiting: MqttMessage[] = [];
  let waitingBytes = 0;
  let rest = new AbortController();
  let armedMs = Number.POSITIVE_INFINITY;

  const isFull = () => waiting.length >= settings.limitWaitingMessages || waitingBytes >= settings.limitWaitingBytes;
  const dueMs = () => {
    if (state.phase === 'over') return 0;
    return state.phase === 'live' ? Math.min(state.deadlineMs, state.pingMs) : state.deadlineMs;
  };
  const send = (bytes: Uint8Array) => {
    if (socket.writable) socket.write(bytes);
  };
  // Whoever waits looks again, and so does the watch if something is due earlier than it thought.
  const changed = () => {
    changes.emit('change');
    if (dueMs() < armedMs) rest.abort();
  };
  const until = async (condition: () => boolean, signal: AbortSignal) => {
    while (!condition() && !signal.aborted) await once(changes, 'change', { signal }).catch(() => undefined);
  };

  // With a reason the broker is told of the end.
  const end = (error: StreamError, reasonCode?: number): void => {
    if (state.phase === 'over') return;
    state = { phase: 'over', error };
    if (reasonCode !== undefined) send(packets.disconnect(reasonCode));
    socket.end();
    changed();
  };
  const lost = (reason: string) => errors.ERR_MQTT_DISCONNECTED({ url, reason });
  const violated = (reason: string, code = PROTOCOL_ERROR): void =>
    end(errors.ERR_MQTT_PROTOCOL({ url, version, reason }), state.phase === 'connecting' ? undefined : code);

  const goLive = (): void => {
    state = { phase: 'live', deadlineMs: Number.POSITIVE_INFINITY, pingMs: clock() + keepAliveMs };
  };

  const connected = ({ sessionPresent, properties }: IConnackPacket, code: number, deadlineMs: number): void => {
    if (code !== 0) {
      const reason = reasonWords(version, code, properties?.reasonString);
      end(errors.ERR_MQTT_REFUSED({ url, returnCode: code, reason }));
      return;
    }
    if (properties?.serverKeepAlive) keepAliveMs = properties.serverKeepAlive * 1000;
    isSessionPresent = sessionPresent;
    if (isSubscribed && sessionPresent) goLive();
    else {
      if (isSubscribed) problems.push(errors.ERR_MQTT_SESSION_LOST({ url }));
      state = { phase: 'subscribing', deadlineMs };
      send(packets.subscribe());
    }
  };

  const subscribed = ({ granted, properties }: ISubackPacket): void => {
    const codes = granted.map(Number);
    const denied = topics.flatMap(({ filter, qos }, index) => {
      const code = codes[index] as number;
      if (code < FIRST_REFUSAL) return code < qos ? [errors.ERR_MQTT_QOS_LOWERED({ url, filter })] : [];
      const reason = reasonWords(version, code, properties?.reasonString);
      return [errors.ERR_MQTT_SUBSCRIPTION_REFUSED({ url, filter, reason })];
    });
    problems.push(...denied);
    if (codes.some((code) => code < FIRST_REFUSAL)) goLive();
    else end(denied[0] as StreamError, 0);
  };

  const published = (packet: MessagePacket): void => {
    const alias = packet.properties?.topicAlias;
    const topic = packet.topic === '' && alias !== undefined ? aliases.get(alias) : packet.topic;
    if (alias !== undefined && (alias < 1 || alias > settings.limitTopicAliases)) {
      violated(`the topic alias ${alias}, which was not allowed`, ALIAS_INVALID);
    } else if (topic === undefined || topic === '') {
      violated('a message without topic');
    } else {
      if (alias !== undefined) aliases.set(alias, topic);
      // More at once than the Receive Maximum is read all the same: brokers forget it when they resume a session.
      waiting.push({ ...packet, topic, receivedAtMs: clock() });
      waitingBytes += topic.length + packet.payload.length;
    }
  };

  const receive = (packet: InboundPacket): void => {
    if (state.phase === 'over') return;
    // Whatever comes is a sign of life.
    if (state.phase === 'live') state.deadlineMs = Number.POSITIVE_INFINITY;
    const { cmd } = packet;
    if (cmd === 'broken') violated(packet.reason);
    else if (cmd === 'disconnect') {
      end(lost(reasonWords(version, packet.reasonCode ?? 0, packet.properties?.reasonString)));
    } else if (state.phase === 'connecting') {
      if (cmd === 'connack') connected(packet, codeOf(packet, version) as number, state.deadlineMs);
      else violated(`${cmd.toUpperCase()} before CONNACK`);
    } else if (cmd === 'connack') violated('a second CONNACK');
    else if (cmd === 'publish') published(packet);
    else if (cmd === 'suback') {
      const isAwaited = state.phase === 'subscribing' && packet.messageId === SUBSCRIBE_ID;
      if (isAwaited && packet.granted.length === topics.length) subscribed(packet);
      else violated('a SUBACK that does not fit a SUBSCRIBE');
    }
  };

  // Signs of life are asked for, and missed.
  const passTime = (): void => {
    if (state.phase === 'over') return;
    const nowMs = clock();
    const isDue = nowMs >= state.deadlineMs;
    const isLive = state.phase === 'live';
    // While nothing is read on purpose, nothing can be missed.
    if (isDue && !(isLive && socket.isPaused())) {
      const limitMs = isLive ? keepAliveMs * 1.5 : limitConnectMs;
      end(errors.ERR_MQTT_TIMEOUT({ url, limitMs, phase: state.phase }));
      return;
    }
    if (isDue) state.deadlineMs = nowMs + keepAliveMs / 2;
    if (state.phase !== 'live' || nowMs < state.pingMs) return;
    state.pingMs = nowMs + keepAliveMs;
    state.deadlineMs = Math.min(state.deadlineMs, nowMs + keepAliveMs / 2);
    send(packets.ping());
  };

  const watch = async (): Promise<void> => {
    while (state.phase !== 'over') {
      rest = new AbortController();
      armedMs = dueMs();
      await sleep(armedMs - clock(), rest.signal).catch(() => undefined);
      passTime();
    }
  };

  socket.on('data', (chunk: Uint8Array) => {
    for (const packet of read(chunk)) receive(packet);
    changed();
    if (isFull()) socket.pause();
  });
  socket.on('error', (thrown) => end(lost(thrown.message)));
  socket.on('close', () => end(lost('without a reason')));
  send(packets.connect());
  void watch();

  return {
    /** Resolves when it is subscribed, or over, or the signal ends the wait. */
    live: (signal: AbortSignal) => until(() => state.phase === 'live' || state.phase === 'over', signal),
    /** Whether the broker knew the session. */
    isSessionPresent: () => isSessionPresent,
    /** What was not granted as it was asked for. */
    problems: problems as readonly StreamError[],
    /** Why it is over; `undefined` while it is not. */
    error: () => (state.phase === 'over' ? state.error : undefined),
    /** Resolves when messages wait, or it is over, or the signal ends the wait. */
    ready: (signal: AbortSignal) => until(() => waiting.length > 0 || state.phase === 'over', signal),
    /** The messages that have waited longest: one, and more as long as they are small. */
    take: (limit: number): readonly MqttMessage[] => {
      let bytes = 0;
      let count = 0;
      for (const { topic, payload } of waiting) {
        bytes += topic.length + payload.length;
        if (count === limit || (count > 0 && bytes > TAKEN_BYTES)) break;
        waitingBytes -= topic.length + payload.length;
        count += 1;
      }
      const taken = waiting.splice(0, count);
      if (socket.isPaused() && !isFull()) socket.resume();
      return taken;
    },
    /** Acknowledges messages in the order in which they came; of no effect when it is over. */
    acknowledge: (messages: readonly MqttMessage[]): void => {
      const messageIds = messages.flatMap(({ messageId }) => messageId ?? []);
      if (state.phase !== 'over' && messageIds.length > 0) send(packets.acknowledge(messageIds));
    },
    /** Says goodbye and closes; the session stays at the broker. */
    leave: async (): Promise<void> => {
      end(lost('at the request of this client'), 0);
      // What still comes is thrown away: it was not acknowledged, and comes again.
      socket.removeAllListeners('data').resume();
      const gone = new AbortController();
      socket.once('close', () => gone.abort());
      if (!socket.closed) await sleep(LIMIT_CLOSE_MS, gone.signal).catch(() => undefined);
      socket.destroy();
    },
  };
}
