/* What a broker and a client that only listens say to each other: bytes to packets, packets to bytes, codes to words.
 *
 * Chunks, cut anywhere -> a reader, which finds where packets begin and end -> `mqtt-packet`, which reads a whole one:
 *
 *   { cmd: 'publish', topic: 'sensors/a', qos: 1, messageId: 7, payload: <7b 7d>, dup: false, retain: false }
 *
 * A packet that no broker sends is `broken`, and nothing behind it is read. */

import { generate, type IConnackPacket, type IPublishPacket, type Packet, parser } from 'mqtt-packet';

/** 4 is MQTT 3.1.1. */
export type MqttVersion = 4 | 5;

/** A message. Of one that is larger than the limit no more than the topic and the identifier were read. */
export interface MessagePacket extends IPublishPacket {
  readonly payload: Buffer;
  readonly oversizedBytes?: number;
}

/** What a broker sends, as far as a client that only listens cares. Nothing behind `broken` can be read. */
export type InboundPacket =
  | Extract<Packet, { cmd: 'connack' | 'suback' | 'pingresp' | 'disconnect' }>
  | MessagePacket
  | { readonly cmd: 'broken'; readonly reason: string };

const PUBLISH = 3;
// CONNACK, PUBLISH, SUBACK, PINGRESP and DISCONNECT: whatever else begins a packet, whole or not, no broker answers so.
const EXPECTED_TYPES = [2, PUBLISH, 9, 13, 14];
// Of a message that is too large: its topic, and the identifier by which it is acknowledged.
const LONGEST_START_BYTES = 2 + 65_535 + 2;

/** A packet that has begun. */
interface Frame {
  /** What is kept of it. */
  readonly bytes: Buffer;
  readonly headerBytes: number;
  readonly totalBytes: number;
  seenBytes: number;
}

/**
 * Makes what turns the bytes of a broker into packets, however they are cut. Holds the packet that is not whole yet, up
 * to the limit: of a larger message only its topic and identifier, while any other larger packet is `broken`.
 *
 * @see specs/mqtt.md MQTT-11
 */
export function createPacketReader(version: MqttVersion, limitPacketBytes: number) {
  let header: number[] = [];
  let frame: Frame | undefined;
  let isBroken = false;
  return (chunk: Uint8Array): readonly InboundPacket[] => {
    const packets: InboundPacket[] = [];
    const add = (packet: InboundPacket) => {
      packets.push(packet);
      isBroken = packet.cmd === 'broken';
    };
    let at = 0;
    while (at < chunk.length && !isBroken) {
      if (!frame) {
        header.push(chunk[at] as number);
        at += 1;
        const begun = beginFrame(header, limitPacketBytes);
        if (typeof begun === 'string') add(broken(begun));
        else frame = begun;
      } else {
        at += fill(frame, chunk, at);
      }
      if (frame && frame.seenBytes === frame.totalBytes) {
        add(frame.totalBytes > limitPacketBytes ? oversizedMessage(frame) : decodePacket(frame.bytes, version));
        frame = undefined;
        header = [];
      }
    }
    return packets;
  };
}

/** The frame of a fixed header, `undefined` while that is not whole, or what is wrong with it. */
function beginFrame(header: readonly number[], limitPacketBytes: number): Frame | string | undefined {
  const [first = 0, ...lengths] = header;
  if (!EXPECTED_TYPES.includes(first >> 4)) return `a packet of type ${first >> 4}, which was not requested`;
  if (lengths.length === 0 || (lengths.at(-1) as number) >= 128) {
    return lengths.length < 4 ? undefined : 'a packet whose length takes more than four bytes';
  }
  const headerBytes = header.length;
  const totalBytes = headerBytes + lengths.reduce((sum, byte, index) => sum + (byte & 127) * 128 ** index, 0);
  const isOversized = totalBytes > limitPacketBytes;
  if (isOversized && first >> 4 !== PUBLISH) return `a packet of ${totalBytes} bytes that is not a message`;
  const bytes = Buffer.allocUnsafe(isOversized ? Math.min(totalBytes, headerBytes + LONGEST_START_BYTES) : totalBytes);
  bytes.set(header);
  return { bytes, headerBytes, totalBytes, seenBytes: headerBytes };
}

/** Takes what belongs to the frame; returns how many bytes that was. */
function fill(frame: Frame, chunk: Uint8Array, at: number): number {
  const { bytes, seenBytes, totalBytes } = frame;
  const end = Math.min(at + totalBytes - seenBytes, chunk.length);
  // What comes behind the bytes that are kept is thrown away.
  if (seenBytes < bytes.length) bytes.set(chunk.subarray(at, Math.min(end, at + bytes.length - seenBytes)), seenBytes);
  frame.seenBytes += end - at;
  return end - at;
}

function oversizedMessage({ bytes, headerBytes, totalBytes }: Frame): InboundPacket {
  const flags = bytes[0] as number;
  const body = bytes.subarray(headerBytes);
  const topicEnd = 2 + (body.length < 2 ? 0 : body.readUInt16BE(0));
  if (body.length < topicEnd + 2) return broken('a message that ends within its topic');
  const topic = body.toString('utf8', 2, topicEnd);
  const marks = { dup: (flags & 8) !== 0, retain: (flags & 1) !== 0, oversizedBytes: totalBytes };
  const message = { cmd: 'publish', topic, payload: Buffer.alloc(0), ...marks } as const;
  const isAtMostOnce = (flags & 6) === 0;
  return isAtMostOnce ? { ...message, qos: 0 } : { ...message, qos: 1, messageId: body.readUInt16BE(topicEnd) };
}

/** Reads a whole packet. Never throws. */
function decodePacket(bytes: Buffer, version: MqttVersion): InboundPacket {
  const decoded: Packet[] = [];
  const faults: string[] = [];
  // A parser for each packet: whatever one of them leaves behind does not reach the next.
  const reading = parser({ protocolVersion: version });
  reading.on('packet', (packet) => decoded.push(packet));
  reading.on('error', (error: Error) => faults.push(error.message));
  try {
    reading.parse(bytes);
  } catch (thrown) {
    faults.push(thrown instanceof Error ? thrown.message : String(thrown));
  }
  const [packet] = decoded;
  return faults.length > 0 || !packet ? broken(faults[0] ?? 'a packet ends too early') : checked(packet, version);
}

function checked(packet: Packet, version: MqttVersion): InboundPacket {
  switch (packet.cmd) {
    case 'connack':
      return codeOf(packet, version) === undefined ? broken('a CONNACK without a code') : packet;
    case 'pingresp':
      return packet;
    case 'publish':
      if (packet.qos === 2) return broken('a message at QoS 2, which was not requested');
      if (/[+#\0]/.test(packet.topic)) return broken('a message whose topic has a wildcard or NUL');
      if (packet.qos === 1 && !packet.messageId) return broken('a message at QoS 1 without an identifier');
      return packet as MessagePacket;
    case 'suback':
      return packet.messageId ? packet : broken('a SUBACK without an identifier');
    case 'disconnect':
      return version === 4 ? broken('a DISCONNECT, which only clients send in MQTT 3.1.1') : packet;
    default:
      return broken('a packet that was not requested');
  }
}

/** Why a broker refuses a connection; 0 where it accepts it. */
export function codeOf(packet: IConnackPacket, version: MqttVersion): number | undefined {
  return version === 4 ? packet.returnCode : packet.reasonCode;
}

function broken(reason: string): InboundPacket {
  return { cmd: 'broken', reason };
}

/** What a session is asked for by. */
export interface SessionSettings {
  readonly version: MqttVersion;
  readonly clientId: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly topics: readonly { readonly filter: string; readonly qos: 0 | 1 }[];
  readonly keepAliveSeconds: number;
  readonly sessionExpirySeconds: number;
  readonly limitWaitingMessages: number;
  readonly limitTopicAliases: number;
}

/** Identifier of the one SUBSCRIBE of a connection. */
export const SUBSCRIBE_ID = 1;

/** Makes what writes the packets of a client. */
export function createPacketWriter({ version, clientId, username, password, topics, ...settings }: SessionSettings) {
  const write = (packet: Packet): Uint8Array => generate(packet, { protocolVersion: version });
  return {
    /** Opens the session, or goes on with the one that the broker kept. */
    connect: () =>
      write({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: version,
        clientId,
        clean: false,
        keepalive: settings.keepAliveSeconds,
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password: Buffer.from(password) }),
        // No Maximum Packet Size: a broker leaves out what is larger, and nobody would learn of it.
        ...(version === 5 && {
          properties: {
            sessionExpiryInterval: settings.sessionExpirySeconds,
            receiveMaximum: settings.limitWaitingMessages,
            topicAliasMaximum: settings.limitTopicAliases,
          },
        }),
      }),
    subscribe: () => {
      const subscriptions = topics.map(({ filter, qos }) => ({ topic: filter, qos, nl: false, rap: false, rh: 0 }));
      return write({ cmd: 'subscribe', messageId: SUBSCRIBE_ID, subscriptions });
    },
    /** Tells the broker that messages are stored, in their order. */
    acknowledge: (messageIds: readonly number[]) =>
      Buffer.concat(messageIds.map((messageId) => write({ cmd: 'puback', messageId, reasonCode: 0 }))),
    ping: () => write({ cmd: 'pingreq' }),
    /** Ends the connection; the session stays. MQTT 5 says why by `reasonCode`. */
    disconnect: (reasonCode: number) => write({ cmd: 'disconnect', reasonCode }),
  };
}

/** The codes of MQTT 3.1.1 for refused connections, as those of MQTT 5. */
const RETURN_CODES: Readonly<Record<number, number>> = { 1: 132, 2: 133, 3: 136, 4: 134, 5: 135, 128: 128 };

/** What a broker of MQTT 5 means by its reason codes, but for those that only answer who publishes. */
const REASONS: Readonly<Record<number, string>> = {
  0: 'it ended the connection in order',
  128: 'it gave no reason',
  129: 'a packet was malformed',
  130: 'a packet was against the protocol',
  131: 'it does not accept this, without a standard reason',
  132: 'it does not know this version of MQTT',
  133: 'it does not accept the client identifier',
  134: 'the user name or password is wrong',
  135: 'this client is not allowed to do so',
  136: 'it is not available',
  137: 'it is busy',
  138: 'this client is banned',
  139: 'it is shutting down',
  141: 'it received nothing for too long',
  142: 'another client took over the session: the client identifier is in use twice',
  143: 'the topic filter is not valid',
  149: 'a packet was too large',
  150: 'messages came too fast',
  151: 'a quota is used up',
  152: 'an administrator ended it',
  156: 'use another broker',
  157: 'the broker has moved',
  158: 'it does not support shared subscriptions',
  159: 'connections came too fast',
  160: 'the time allowed for a connection is over',
  162: 'it does not support wildcards in subscriptions',
};

/** A code of a broker in words, with the text that it sent along. */
export function reasonWords(version: MqttVersion, code: number, said?: string | null): string {
  const words = REASONS[version === 4 ? (RETURN_CODES[code] ?? -1) : code] ?? 'of an unknown code';
  // The broker's own text is not to fill the log of whoever reads it. It is null where the packet ends within it.
  const quoted = said ? `: "${said.slice(0, 200)}"` : '';
  return `${words} (code ${code})${quoted}`;
}

const LIMIT_TOPIC_BYTES = 65_535;

/**
 * Whether a text is a topic filter of MQTT, shared subscriptions included.
 *
 * @see https://docs.oasis-open.org/mqtt/mqtt/v5.0/os/mqtt-v5.0-os.html#_Toc3901241
 */
export function isTopicFilter(text: string): boolean {
  if (text.includes('\0') || Buffer.byteLength(text) > LIMIT_TOPIC_BYTES || /\p{Surrogate}/u.test(text)) return false;
  if (text.startsWith('$share/') && !/^\$share\/[^/+#]+\/./s.test(text)) return false;
  const levels = topicOfShare(text).split('/');
  if (levels.join('/') === '') return false;
  return levels.every((level, index) => {
    if (level === '#') return index === levels.length - 1;
    return level === '+' || !/[+#]/.test(level);
  });
}

/** Whether a topic is one that a filter asks for. */
export function matchesFilter(filter: string, topic: string): boolean {
  const asked = topicOfShare(filter).split('/');
  const levels = topic.split('/');
  // Topics of the broker's own have to be asked for by name.
  if (topic.startsWith('$') && asked[0] !== levels[0]) return false;
  const hasRest = asked.at(-1) === '#';
  const named = hasRest ? asked.slice(0, -1) : asked;
  if (hasRest ? levels.length < named.length : levels.length !== named.length) return false;
  return named.every((level, index) => level === '+' || level === levels[index]);
}

/** The filter that a shared subscription shares; any other as it is. */
function topicOfShare(filter: string): string {
  return filter.replace(/^\$share\/[^/]*\//, '');
}
