import { expect, test } from 'vitest';
import { mqttText } from '../../src/mqtt/mqtt-text.ts';

test('a program that is missing is named', () => {
  const size = { sensors: 2, seconds: 3, brokerRestartSeconds: 1, serverRestartSeconds: 2, settleSeconds: 1 };
  const lines = mqttText({ missing: ['mosquitto'] }, size);
  expect(lines.at(-1)).toContain('not installed: mosquitto');
});
