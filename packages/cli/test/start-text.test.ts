import { expect, test } from 'vitest';
import type { StreamPlan } from '../src/serve/serve-plan.ts';
import { startText } from '../src/serve/start-text.ts';

const stream = (name: string, queries?: StreamPlan['queries']): StreamPlan => ({
  name,
  title: name,
  about: {},
  source: { kind: 'gtfsRt', feeds: [{ url: 'http://a/' }], everyMs: 1000 },
  ...(queries && { queries }),
});
const text = (...streams: StreamPlan[]) =>
  startText({ publicUrl: 'http://a.example/', store: 'memory', streams }, '127.0.0.1:3000');

test('QUERY-70 what is said at the start names where queries go, of the first stream that takes them', () => {
  const said = text(stream('vehicles'), stream('trips', {}), stream('alerts', {}));
  expect(said).toContain('at http://a.example/trips/sparql,');
  expect(said).toContain("  npx ldes-live query http://a.example/trips --mal 10 'SELECT ");
  expect(said).toContain('  npx ldes-live follow http://a.example/vehicles --mal 10\n');
});

test('QUERY-70 where no stream takes queries, nothing is said of them', () => {
  expect(text(stream('vehicles'))).not.toMatch(/sparql|query/i);
});
