import { expect, test } from 'vitest';
import { comparedText } from '../../src/e3/compared-text.ts';
import { transportText } from '../../src/e3/transport-text.ts';
import { run } from './made-runs.ts';

test('a ratio whose repeats lie on both sides of 1 is no difference', () => {
  const ratio = { median: 1.08, min: 0.696, max: 1.46, repeats: 3 };
  expect(comparedText('sse', 'websocket', ratio)).toBe(
    'plain SSE and WebSocket do not differ beyond the spread (1.08 [0.696–1.46] times the rows a second)',
  );
  expect(comparedText('sse', 'websocket', { median: 0.833, min: 0.818, max: 0.896, repeats: 3 })).toBe(
    'plain SSE brings 0.833 [0.818–0.896] times the rows a second of WebSocket',
  );
});

test('each test that was run is compared, beside what was published', () => {
  const batch = [run('websocket', 0, 100), run('sse', 0, 80), run('websocket', 1, 200), run('sse', 1, 220)];
  const connections = [run('websocket', 0, 100), run('sse', 0, 80)];
  expect(transportText({ batch, connections })).toEqual([
    expect.stringMatching(/^With growing batches.*do not differ beyond the spread.*; 0\.775 times were published\.$/),
    expect.stringMatching(/^With growing connections.*plain SSE brings 0\.800 times.*times were published\.$/),
  ]);
  expect(transportText({ connections })).toHaveLength(1);
  expect(transportText({ batch: [run('sse', 0, 80)] })).toEqual([]);
});
