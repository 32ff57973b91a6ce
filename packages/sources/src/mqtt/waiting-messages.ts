import type { MqttMessage } from './mqtt-message.ts';

/** Messages between a socket and whoever stores them. */
export interface WaitingMessages {
  push(message: MqttMessage): void;
  /** The messages that have waited longest. */
  take(limit: number): readonly MqttMessage[];
  /** Whether no more should be read. */
  isFull(): boolean;
  /** How many wait. */
  size(): number;
}

/**
 * Makes room for messages.
 *
 * @param limits - from where on it is full; what is pushed all the same is kept
 */
export function createWaitingMessages(limits: {
  readonly limitMessages: number;
  readonly limitBytes: number;
}): WaitingMessages {
  let messages: MqttMessage[] = [];
  let bytes = 0;
  const sizeOf = ({ topic, payload }: MqttMessage) => topic.length + payload.length;
  return {
    push: (message) => {
      messages.push(message);
      bytes += sizeOf(message);
    },
    take: (limit) => {
      const taken = messages.slice(0, limit);
      messages = messages.slice(limit);
      bytes -= taken.reduce((sum, message) => sum + sizeOf(message), 0);
      return taken;
    },
    isFull: () => messages.length >= limits.limitMessages || bytes >= limits.limitBytes,
    size: () => messages.length,
  };
}
