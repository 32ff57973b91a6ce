import { type Packet, parser } from 'mqtt-packet';
import type { InboundPacket } from './inbound-packet.ts';

const broken = (reason: string): InboundPacket => ({ kind: 'broken', reason });

/**
 * Makes what reads whole packets of a broker, one at a time. Never throws.
 *
 * @param version - 4 is MQTT 3.1.1
 */
export function createPacketDecoder(version: 4 | 5): (bytes: Uint8Array) => InboundPacket {
  return (bytes) => {
    const decoded: Packet[] = [];
    const faults: string[] = [];
    // A parser for each packet: whatever one of them leaves behind does not reach the next.
    const reading = parser({ protocolVersion: version });
    reading.on('packet', (packet) => decoded.push(packet));
    reading.on('error', (error: Error) => faults.push(error.message));
    try {
      reading.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    } catch (thrown) {
      faults.push(thrown instanceof Error ? thrown.message : String(thrown));
    }
    const [packet] = decoded;
    if (faults.length > 0 || !packet) return broken(faults[0] ?? 'a packet ends too early');
    return inbound(packet, version);
  };
}

function inbound(packet: Packet, version: 4 | 5): InboundPacket {
  switch (packet.cmd) {
    case 'connack': {
      const code = version === 4 ? packet.returnCode : packet.reasonCode;
      const { reasonString, serverKeepAlive } = packet.properties ?? {};
      if (code === undefined) return broken('a CONNACK without a code');
      return {
        kind: 'connack',
        isSessionPresent: packet.sessionPresent,
        code,
        ...(reasonString === undefined ? {} : { said: reasonString }),
        ...(serverKeepAlive === undefined ? {} : { keepAliveSeconds: serverKeepAlive }),
      };
    }
    case 'publish': {
      const { topic, qos, messageId, payload, properties } = packet;
      if (qos === 2) return broken('a message at QoS 2, which was not asked for');
      if (/[+#\0]/.test(topic)) return broken('a message whose topic has a wildcard or NUL');
      if (qos === 1 && !isMessageId(messageId)) return broken('a message at QoS 1 without an identifier');
      return {
        kind: 'publish',
        topic,
        payload: payload as Uint8Array,
        isRepeated: packet.dup,
        isRetained: packet.retain,
        ...(qos === 1 ? { messageId: messageId as number } : {}),
        ...(properties?.topicAlias === undefined ? {} : { alias: properties.topicAlias }),
      };
    }
    case 'suback': {
      const said = packet.properties?.reasonString;
      if (!isMessageId(packet.messageId)) return broken('a SUBACK without an identifier');
      return {
        kind: 'suback',
        messageId: packet.messageId,
        codes: packet.granted as readonly number[],
        ...(said === undefined ? {} : { said }),
      };
    }
    case 'pingresp':
      return { kind: 'pingresp' };
    case 'disconnect': {
      if (version === 4) return broken('a DISCONNECT, which only clients send in MQTT 3.1.1');
      const said = packet.properties?.reasonString;
      return { kind: 'disconnect', code: packet.reasonCode ?? 0, ...(said === undefined ? {} : { said }) };
    }
    default:
      return broken('a packet that nobody asked for');
  }
}

function isMessageId(id: number | undefined): id is number {
  return id !== undefined && id >= 1;
}
