import { expect, test } from 'vitest';
import { REQUEST_KINDS, RequestCounts, STATUS_CLASSES } from '../src/metrics/request-counts.ts';
import { requestSamples } from '../src/metrics/request-samples.ts';

test('PUSH-41 kinds and classes of status are told apart', () => {
  const counts = new RequestCounts();
  const statuses = {
    '2xx': [200, 204],
    '3xx': [301, 307, 399],
    '304': [304],
    '4xx': [400, 404, 429],
    '5xx': [500, 503],
  };
  for (const [index, kind] of REQUEST_KINDS.entries()) {
    for (const status of Object.values(statuses).flat()) {
      for (let time = 0; time <= index; time += 1) counts.add(kind, status);
    }
  }
  for (const [index, kind] of REQUEST_KINDS.entries()) {
    for (const status of STATUS_CLASSES) {
      expect(counts.count(kind, status)).toBe(statuses[status].length * (index + 1));
    }
  }
  expect(requestSamples([['', counts]]).ldes_live_requests_total).toHaveLength(
    REQUEST_KINDS.length * STATUS_CLASSES.length,
  );
});

test('PUSH-41 what has not come up is left out', () => {
  const counts = new RequestCounts();
  counts.add('latest', 304);
  expect(
    requestSamples([
      ['vehicles', counts],
      ['trips', new RequestCounts()],
    ]),
  ).toEqual({
    ldes_live_requests_total: [{ labels: { stream: 'vehicles', kind: 'latest', status: '304' }, value: 1 }],
  });
});
