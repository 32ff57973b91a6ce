import { generate, type IConnectPacket } from 'mqtt-packet';
import type { SessionSettings } from './session-settings.ts';

/** Identifier of the one SUBSCRIBE of a connection. */
export const SUBSCRIBE_ID = 1;

/** Opens the session, or goes on with the one that the broker kept. */
export function connectPacket(settings: SessionSettings): Uint8Array {
  const { version, clientId, username, password, keepAliveSeconds } = settings;
  const packet: IConnectPacket = {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: version,
    clientId,
    clean: false,
    keepalive: keepAliveSeconds,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password: Buffer.from(password) }),
  };
  if (version === 4) return generate(packet);
  const { sessionExpirySeconds, limitWaitingMessages, limitTopicAliases } = settings;
  // No Maximum Packet Size: a broker leaves out what is larger, and nobody would learn of it.
  const properties = {
    sessionExpiryInterval: sessionExpirySeconds,
    receiveMaximum: limitWaitingMessages,
    topicAliasMaximum: limitTopicAliases,
  };
  return generate({ ...packet, properties }, { protocolVersion: 5 });
}

/** Asks for all topics. */
export function subscribePacket({ version, topics }: SessionSettings): Uint8Array {
  const subscriptions = topics.map(({ filter, qos }) => ({ topic: filter, qos, nl: false, rap: false, rh: 0 }));
  return generate({ cmd: 'subscribe', messageId: SUBSCRIBE_ID, subscriptions }, { protocolVersion: version });
}

/** Tells the broker that messages are stored, in their order. */
export function acknowledgements(messageIds: readonly number[], version: 4 | 5): Uint8Array {
  const packets = messageIds.map((messageId) =>
    generate({ cmd: 'puback', messageId, reasonCode: 0 }, { protocolVersion: version }),
  );
  return Buffer.concat(packets);
}

/** Asks for a sign of life. */
export function pingPacket(): Uint8Array {
  return generate({ cmd: 'pingreq' });
}

/**
 * Ends the connection; the session stays.
 *
 * @param reasonCode - why, told in MQTT 5
 */
export function disconnectPacket(version: 4 | 5, reasonCode = 0): Uint8Array {
  return generate({ cmd: 'disconnect', reasonCode }, { protocolVersion: version });
}
