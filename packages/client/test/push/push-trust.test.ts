import { expect, test } from 'vitest';
import {
  FULL_TRUST,
  isPushTrusted,
  LONGEST_PAUSE_MS,
  pushRefused,
  pushStruck,
  REFUSED_PAUSE_MS,
  STRIKE_LIMIT,
  STRUCK_PAUSE_MS,
} from '../../src/push/push-trust.ts';

const NOW = { nowMs: 1_000, random: 0.999 };

test('MAL-16 push is given up for a time after as many strikes as the limit, and on trial after that', () => {
  let trust = FULL_TRUST;
  for (let strike = 1; strike < STRIKE_LIMIT; strike += 1) trust = pushStruck(trust, 'cut', NOW);
  expect(isPushTrusted(trust, NOW.nowMs)).toBe(true);
  trust = pushStruck(trust, 'cut', NOW);
  expect(trust.problem).toBe('cut');
  expect(isPushTrusted(trust, NOW.nowMs)).toBe(false);
  expect(isPushTrusted(trust, NOW.nowMs + STRUCK_PAUSE_MS)).toBe(true);
  expect(isPushTrusted(pushStruck(trust, 'cut', NOW), NOW.nowMs + STRUCK_PAUSE_MS)).toBe(false);
});

test('a refusal gives push up at once, for as long as the server asks at least', () => {
  const refused = pushRefused(FULL_TRUST, 'no', { ...NOW, random: 0 });
  expect(isPushTrusted(refused, NOW.nowMs)).toBe(false);
  expect(isPushTrusted(refused, NOW.nowMs + REFUSED_PAUSE_MS / 2)).toBe(true);
  const asked = pushRefused(FULL_TRUST, 'no', { ...NOW, random: 0, retryAfterMs: 600_000 });
  expect(isPushTrusted(asked, NOW.nowMs + 599_999)).toBe(false);
  expect(isPushTrusted(asked, NOW.nowMs + 600_000)).toBe(true);
});

test('the pauses grow up to the longest', () => {
  let trust = FULL_TRUST;
  let before = 0;
  for (let refusal = 0; refusal < 12; refusal += 1) {
    trust = pushRefused(trust, 'no', { nowMs: 0, random: 0.5 });
    expect(trust.againAtMs).toBeGreaterThanOrEqual(before);
    before = trust.againAtMs;
  }
  expect(before).toBeLessThanOrEqual(LONGEST_PAUSE_MS);
});
