import type { Duplex } from 'node:stream';
import type { StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { SourceEnvironment } from '../source.ts';
import type { MqttMessage } from './mqtt-message.ts';
import { disconnectPacket } from './outbound-packets.ts';
import { createPacketReader } from './packet-reader.ts';
import { acknowledge, beginSession, nextDueMs, passTime, receivePacket, type SessionStep } from './session.ts';
import type { SessionSettings } from './session-settings.ts';
import { createWaitingMessages } from './waiting-messages.ts';
import { createWakeUp } from './wake-up.ts';

/** How long a connection that has been left may take to close before it is torn down, milliseconds. */
const LIMIT_CLOSE_MS = 1000;

/** What a connection needs besides its socket. */
export interface MqttConnectionOptions {
  readonly settings: SessionSettings;
  readonly limitWaitingBytes: number;
  /** Told of what goes wrong without ending the connection. */
  readonly onProblem: (problem: StreamError) => void;
}

/** A connection to a broker: its messages wait until they are taken. */
export interface MqttConnection {
  /** Resolves when it is subscribed, or over, or the signal ends the wait. */
  live(signal: AbortSignal): Promise<void>;
  /** Whether the broker knew the session. */
  isSessionPresent(): boolean;
  /** Why it is over; `undefined` while it is not. */
  error(): StreamError | undefined;
  /** Resolves when messages wait, or it is over, or the signal ends the wait. */
  ready(signal: AbortSignal): Promise<void>;
  /** The messages that have waited longest. */
  take(limit: number): readonly MqttMessage[];
  /** Acknowledges messages in the order in which they came; of no effect when it is over. */
  acknowledge(messageIds: readonly number[]): void;
  /** Says goodbye and closes; the session stays at the broker. */
  leave(): Promise<void>;
}

/**
 * Speaks MQTT over a socket that has opened: asks for the session and the topics, reads as long as not too much waits,
 * and watches for signs of life.
 *
 * @see specs/mqtt.md MQTT-10
 */
export function createMqttConnection(
  socket: Duplex,
  { settings, limitWaitingBytes, onProblem }: MqttConnectionOptions,
  { clock, sleep }: Pick<SourceEnvironment, 'clock' | 'sleep'>,
): MqttConnection {
  const read = createPacketReader(settings);
  const waiting = createWaitingMessages({
    limitMessages: settings.limitWaitingMessages,
    limitBytes: limitWaitingBytes,
  });
  const begun = beginSession(settings, clock());
  const closed = new AbortController();
  let session = begun.session;
  let error: StreamError | undefined;
  let rest = new AbortController();
  let armedMs = Number.POSITIVE_INFINITY;
  const changes = createWakeUp();

  const end = (why: StreamError): void => {
    if (error) return;
    error = why;
    session = { ...session, phase: 'over' };
    closed.abort();
    rest.abort();
    changes.wake();
  };

  const apply = (step: SessionStep): void => {
    session = step.session;
    for (const bytes of step.sends ?? []) if (socket.writable) socket.write(bytes);
    for (const problem of step.problems ?? []) onProblem(problem);
    if (step.message) waiting.push(step.message);
    changes.wake();
    if (step.error) {
      end(step.error);
      socket.end();
    }
    if (nextDueMs(session) < armedMs) rest.abort();
  };

  const watch = async (): Promise<void> => {
    while (!closed.signal.aborted) {
      rest = new AbortController();
      armedMs = nextDueMs(session);
      await sleep(armedMs - clock(), rest.signal).catch(() => undefined);
      if (!closed.signal.aborted) apply(passTime(session, settings, clock(), socket.isPaused()));
    }
  };

  socket.on('data', (chunk: Uint8Array) => {
    for (const packet of read(chunk)) apply(receivePacket(session, packet, settings, clock()));
    if (waiting.isFull()) socket.pause();
  });
  socket.on('error', (thrown) => end(lost(settings, thrown.message)));
  socket.on('close', () => end(lost(settings, 'without a word')));
  apply(begun);
  void watch();

  return {
    live: (signal) => changes.until(() => session.phase === 'live' || error !== undefined, signal),
    isSessionPresent: () => session.isSessionPresent,
    error: () => error,
    ready: (signal) => changes.until(() => waiting.size() > 0 || error !== undefined, signal),
    take: (limit) => {
      const taken = waiting.take(limit);
      if (socket.isPaused() && !waiting.isFull()) socket.resume();
      return taken;
    },
    acknowledge: (messageIds) => apply(acknowledge(session, messageIds, settings)),
    leave: async () => {
      if (socket.writable) socket.end(session.phase === 'over' ? undefined : disconnectPacket(settings.version));
      end(lost(settings, 'as it was told to'));
      // What still comes is thrown away: it was not acknowledged, and comes again.
      socket.removeAllListeners('data').resume();
      const gone = new AbortController();
      socket.once('close', () => gone.abort());
      if (!socket.closed) await sleep(LIMIT_CLOSE_MS, gone.signal).catch(() => undefined);
      socket.destroy();
    },
  };
}

function lost({ broker }: SessionSettings, reason: string): StreamError {
  return errors.ERR_MQTT_DISCONNECTED({ url: broker, reason });
}
