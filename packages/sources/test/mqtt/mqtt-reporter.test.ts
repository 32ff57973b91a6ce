import { expect, test } from 'vitest';
import { errors } from '../../src/errors.ts';
import { createHealthLedger } from '../../src/health-ledger.ts';
import { createMqttReporter } from '../../src/mqtt/mqtt-reporter.ts';
import type { SourceEvent } from '../../src/source-event.ts';

test('MQTT-14 of many problems at once all are counted and 20 are told, with topics of a length that can be read', () => {
  const events: SourceEvent[] = [];
  const ledger = createHealthLedger('o');
  const reporter = createMqttReporter('o', ledger, { clock: () => 5, report: (event) => void events.push(event) });
  const topic = 't'.repeat(65_535);
  const problem = errors.ERR_MQTT_MESSAGE({ topic, code: 'ERR_DOCUMENT_MALFORMED', reason: 'nonsense.' });
  const counts = { bytes: 1, entities: 0, upserts: 0, deletes: 0, findings: {} };
  reporter.stored(1, { ...counts, problems: Array(21).fill(problem) });
  expect(ledger.health().errors).toEqual({ ERR_MQTT_MESSAGE: 21 });
  expect(events).toMatchObject([{ kind: 'taken', problems: { length: 20 } }]);
  expect(problem.message.length).toBeLessThan(500);
});

test('MQTT-20 findings are summed up, and the newest time stays', () => {
  const ledger = createHealthLedger('o');
  const reporter = createMqttReporter('o', ledger, { clock: () => 5, report: () => undefined });
  const counts = { bytes: 1, entities: 1, upserts: 1, deletes: 0, problems: [] };
  reporter.stored(1, { ...counts, findings: { unchanged: 2 }, newestMs: 3000 });
  reporter.stored(1, { ...counts, findings: { unchanged: 1, repeated: 1 }, newestMs: 2000 });
  expect(ledger.health()).toMatchObject({
    findings: { unchanged: 3, repeated: 1 },
    dataAt: '1970-01-01T00:00:03.000Z',
  });
});
