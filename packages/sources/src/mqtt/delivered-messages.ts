import { createHash } from 'node:crypto';
import type { MqttMessage } from './mqtt-message.ts';

/**
 * Which messages of a session have been stored, in case the broker did not learn it and delivers them again.
 *
 * @see specs/mqtt.md MQTT-7
 */
export interface DeliveredMessages {
  /** Whether a message is one that has been stored, delivered once more. */
  isRepeated(message: MqttMessage): boolean;
  /** Remembers a message that has been stored, until another one has its identifier. */
  remember(message: MqttMessage): void;
  /** The session is another one. */
  forget(): void;
}

/** Makes the memory of a session: at most one digest for each identifier, 65,535 in all. */
export function createDeliveredMessages(): DeliveredMessages {
  const digests = new Map<number, string>();
  return {
    isRepeated: (message) =>
      message.isRepeated && message.messageId !== undefined && digests.get(message.messageId) === digestOf(message),
    remember: (message) => {
      if (message.messageId !== undefined) digests.set(message.messageId, digestOf(message));
    },
    forget: () => digests.clear(),
  };
}

function digestOf({ topic, payload }: MqttMessage): string {
  return createHash('sha1').update(topic).update('\0').update(payload).digest('base64');
}
