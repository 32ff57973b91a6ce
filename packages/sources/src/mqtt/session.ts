import type { StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { InboundPacket } from './inbound-packet.ts';
import type { MqttMessage } from './mqtt-message.ts';
import {
  acknowledgements,
  connectPacket,
  disconnectPacket,
  pingPacket,
  SUBSCRIBE_ID,
  subscribePacket,
} from './outbound-packets.ts';
import { reasonWords } from './reason-words.ts';
import type { SessionSettings } from './session-settings.ts';
import { judgeGrants } from './subscription-grants.ts';

/** One connection to a broker, as its packets tell it. Immutable. */
export interface Session {
  /** `live`: subscribed. `over`: nothing more is to be read or written. */
  readonly phase: 'connecting' | 'subscribing' | 'live' | 'over';
  /** Until when it has to be live, or a sign of life has to come; epoch milliseconds. */
  readonly deadlineMs: number;
  /** When the next sign of life is asked for, epoch milliseconds. */
  readonly pingMs: number;
  readonly keepAliveMs: number;
  /** Whether the broker knew the session. */
  readonly isSessionPresent: boolean;
  readonly aliases: ReadonlyMap<number, string>;
}

/** What comes of an event. */
export interface SessionStep {
  readonly session: Session;
  /** To be written, in order. */
  readonly sends?: readonly Uint8Array[];
  readonly message?: MqttMessage;
  /** What went wrong without ending the connection. */
  readonly problems?: readonly StreamError[];
  /** Why the connection is over. */
  readonly error?: StreamError;
}

type Packet<Kind extends InboundPacket['kind']> = Extract<InboundPacket, { kind: Kind }>;

const PROTOCOL_ERROR = 0x82;
const ALIAS_INVALID = 0x94;

/** The session of a connection that has just opened. */
export function beginSession(settings: SessionSettings, nowMs: number): SessionStep {
  const session: Session = {
    phase: 'connecting',
    deadlineMs: nowMs + settings.limitConnectMs,
    pingMs: Number.POSITIVE_INFINITY,
    keepAliveMs: settings.keepAliveSeconds * 1000,
    isSessionPresent: false,
    aliases: new Map(),
  };
  return { session, sends: [connectPacket(settings)] };
}

/**
 * What a packet of the broker changes. Pure.
 *
 * @see specs/mqtt.md MQTT-12
 */
export function receivePacket(
  before: Session,
  packet: InboundPacket,
  settings: SessionSettings,
  nowMs: number,
): SessionStep {
  if (before.phase === 'over') return { session: before };
  const isLive = before.phase === 'live';
  const session = isLive ? { ...before, deadlineMs: Number.POSITIVE_INFINITY } : before;
  if (packet.kind === 'broken') return violated(session, settings, packet.reason);
  if (packet.kind === 'disconnect') return disconnected(session, packet, settings);
  if (session.phase === 'connecting') {
    return packet.kind === 'connack'
      ? connected(session, packet, settings, nowMs)
      : violated(session, settings, `${packet.kind.toUpperCase()} before CONNACK`);
  }
  switch (packet.kind) {
    case 'connack':
      return violated(session, settings, 'a second CONNACK');
    case 'suback':
      return session.phase === 'subscribing'
        ? subscribed(session, packet, settings, nowMs)
        : violated(session, settings, 'a SUBACK that nobody waits for');
    case 'publish':
      return published(session, packet, settings, nowMs);
    default:
      return { session };
  }
}

/**
 * What the time changes: signs of life are asked for, and missed. Pure.
 *
 * @param isPaused - nothing is read at the moment, so that nothing can be missed
 */
export function passTime(before: Session, settings: SessionSettings, nowMs: number, isPaused: boolean): SessionStep {
  if (before.phase === 'over') return { session: before };
  const isDue = nowMs >= before.deadlineMs;
  if (isDue && before.phase !== 'live') {
    const values = { url: settings.broker, limitMs: settings.limitConnectMs };
    return ended(before, errors.ERR_MQTT_TIMEOUT({ ...values, phase: before.phase }));
  }
  if (isDue && !isPaused) {
    const limitMs = before.keepAliveMs * 1.5;
    return ended(before, errors.ERR_MQTT_TIMEOUT({ url: settings.broker, limitMs, phase: 'live' }));
  }
  const session = isDue ? { ...before, deadlineMs: nowMs + before.keepAliveMs / 2 } : before;
  if (nowMs < session.pingMs) return { session };
  const deadlineMs = Math.min(session.deadlineMs, nowMs + session.keepAliveMs / 2);
  return { session: { ...session, pingMs: nowMs + session.keepAliveMs, deadlineMs }, sends: [pingPacket()] };
}

/**
 * Acknowledges messages, in the order in which they came. Pure.
 *
 * @param messageIds - of messages of this connection
 * @see specs/mqtt.md MQTT-5
 */
export function acknowledge(session: Session, messageIds: readonly number[], settings: SessionSettings): SessionStep {
  if (session.phase === 'over' || messageIds.length === 0) return { session };
  return { session, sends: [acknowledgements(messageIds, settings.version)] };
}

/** When {@link passTime} next has something to do, epoch milliseconds. */
export function nextDueMs(session: Session): number {
  return session.phase === 'over' ? Number.POSITIVE_INFINITY : Math.min(session.deadlineMs, session.pingMs);
}

function connected(session: Session, packet: Packet<'connack'>, settings: SessionSettings, nowMs: number): SessionStep {
  const { version, broker: url } = settings;
  if (packet.code !== 0) {
    const reason = reasonWords(version, packet.code, packet.said);
    return ended(session, errors.ERR_MQTT_REFUSED({ url, returnCode: packet.code, reason }));
  }
  const keepAliveMs = packet.keepAliveSeconds ? packet.keepAliveSeconds * 1000 : session.keepAliveMs;
  const accepted: Session = { ...session, keepAliveMs, isSessionPresent: packet.isSessionPresent };
  const problems = settings.isSubscribed && !packet.isSessionPresent ? [errors.ERR_MQTT_SESSION_LOST({ url })] : [];
  if (settings.isSubscribed && packet.isSessionPresent) return { session: live(accepted, nowMs), problems };
  return { session: { ...accepted, phase: 'subscribing' }, sends: [subscribePacket(settings)], problems };
}

function subscribed(session: Session, packet: Packet<'suback'>, settings: SessionSettings, nowMs: number): SessionStep {
  if (packet.messageId !== SUBSCRIBE_ID || packet.codes.length !== settings.topics.length) {
    return violated(session, settings, 'a SUBACK that does not fit its SUBSCRIBE');
  }
  const { problems, isNothingGranted } = judgeGrants(packet.codes, settings, packet.said);
  const [first] = problems;
  if (isNothingGranted && first) return ended(session, first, [disconnectPacket(settings.version)]);
  return { session: live(session, nowMs), problems };
}

function published(session: Session, packet: Packet<'publish'>, settings: SessionSettings, nowMs: number): SessionStep {
  const { kind: _, alias, topic: stated, ...said } = packet;
  const isAliased = alias !== undefined && stated === '';
  if (alias !== undefined && (alias < 1 || alias > settings.limitTopicAliases)) {
    return violated(session, settings, `the topic alias ${alias}, which was not allowed`, ALIAS_INVALID);
  }
  const topic = isAliased ? session.aliases.get(alias) : stated;
  if (topic === undefined || topic === '') {
    return violated(session, settings, 'a message without topic', PROTOCOL_ERROR);
  }
  // More at once than the Receive Maximum is read all the same: there are brokers who forget it when they resume a session.
  const aliases = alias === undefined || isAliased ? session.aliases : new Map(session.aliases).set(alias, topic);
  return { session: { ...session, aliases }, message: { ...said, topic, receivedAtMs: nowMs } };
}

function live(session: Session, nowMs: number): Session {
  const { keepAliveMs } = session;
  return { ...session, phase: 'live', deadlineMs: Number.POSITIVE_INFINITY, pingMs: nowMs + keepAliveMs };
}

function disconnected(session: Session, packet: Packet<'disconnect'>, settings: SessionSettings): SessionStep {
  const reason = reasonWords(settings.version, packet.code, packet.said);
  return ended(session, errors.ERR_MQTT_DISCONNECTED({ url: settings.broker, reason }));
}

function violated(session: Session, settings: SessionSettings, reason: string, code = PROTOCOL_ERROR): SessionStep {
  const error = errors.ERR_MQTT_PROTOCOL({ url: settings.broker, version: settings.version, reason });
  return ended(session, error, session.phase === 'connecting' ? [] : [disconnectPacket(settings.version, code)]);
}

function ended(session: Session, error: StreamError, sends: readonly Uint8Array[] = []): SessionStep {
  return { session: { ...session, phase: 'over' }, error, sends };
}
