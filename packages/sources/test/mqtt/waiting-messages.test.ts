import { expect, test } from 'vitest';
import type { MqttMessage } from '../../src/mqtt/mqtt-message.ts';
import { createWaitingMessages } from '../../src/mqtt/waiting-messages.ts';

const message = (payloadBytes: number): MqttMessage => ({
  topic: 'ten-bytes!',
  payload: Buffer.alloc(payloadBytes),
  isRepeated: false,
  isRetained: false,
  receivedAtMs: 0,
});

test('MQTT-13 it is full at limitMessages, and not one below', () => {
  const waiting = createWaitingMessages({ limitMessages: 2, limitBytes: 1000 });
  waiting.push(message(1));
  expect(waiting.isFull()).toBe(false);
  waiting.push(message(1));
  expect(waiting.isFull()).toBe(true);
  waiting.take(1);
  expect(waiting.isFull()).toBe(false);
});

test('MQTT-13 it is full at limitBytes of topics and payloads, and not one below', () => {
  const waiting = createWaitingMessages({ limitMessages: 100, limitBytes: 200 });
  waiting.push(message(90));
  waiting.push(message(89));
  expect(waiting.isFull()).toBe(false);
  waiting.take(1);
  waiting.push(message(91));
  expect(waiting.isFull()).toBe(true);
});

test('MQTT-6 what waited longest is taken first, and no more than is asked for', () => {
  const waiting = createWaitingMessages({ limitMessages: 100, limitBytes: 200 });
  for (const payloadBytes of [1, 2, 3]) waiting.push(message(payloadBytes));
  expect(waiting.take(2).map(({ payload }) => payload.length)).toEqual([1, 2]);
  expect(waiting.take(2).map(({ payload }) => payload.length)).toEqual([3]);
  expect(waiting.size()).toBe(0);
});
