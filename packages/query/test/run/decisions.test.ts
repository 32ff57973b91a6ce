import { expect, test } from 'vitest';
import {
  closedToMs,
  type EvaluationState,
  isWorthTakingMore,
  MOST_EVENTS_TAKEN,
  nextEvaluationMs,
  type SourceState,
  type WindowClock,
  windowWakeMs,
} from '../../src/run/timing.ts';
import { sleep } from '../../src/run/waiting.ts';

const live: SourceState = {
  readSinceMs: 0,
  firstAtMs: 10,
  hasEnded: false,
  lagMs: 0,
  isClaiming: false,
  completeToMs: undefined,
  publishedMs: -Infinity,
  newestMs: -Infinity,
  idleSinceMs: undefined,
};
const silent = { ...live, firstAtMs: undefined };
const ended = { ...silent, hasEnded: true };

function next(given: Partial<EvaluationState>): number | undefined {
  const usual = { nowMs: 5000, malMs: 1000, lastStartMs: 4800, isChanged: true, isVolatile: false, sources: [live] };
  return nextEvaluationMs({ ...usual, ...given });
}

test('QUERY-61 the first is due when all sources have begun or ended, or a MAL after the reading began', () => {
  const first = { lastStartMs: undefined, isChanged: false, nowMs: 300 };
  expect(next({ ...first, sources: [live, live] })).toBe(300);
  expect(next({ ...first, sources: [live, ended] })).toBe(300);
  expect(next({ ...first, sources: [ended] })).toBe(300);
  expect(next({ ...first, sources: [live, silent] })).toBe(1000);
  expect(next({ ...first, nowMs: 1200, sources: [live, silent] })).toBe(1200);
  expect(next({ ...first, nowMs: 1200, sources: [live, silent, { ...silent, readSinceMs: 500 }] })).toBe(1500);
  expect(next({ ...first, sources: [silent, ended] })).toBe(undefined);
});

test('the last is due at once', () => {
  expect(next({ sources: [ended] })).toBe(5000);
  expect(next({ sources: [ended], isChanged: false, isVolatile: true })).toBe(undefined);
  expect(next({ sources: [ended, live] })).toBe(5800);
});

test('QUERY-61 one that is due is put off for so many events, or for so long', () => {
  expect(isWorthTakingMore(0, MOST_EVENTS_TAKEN - 1, 249, 1000)).toBe(true);
  expect(isWorthTakingMore(0, MOST_EVENTS_TAKEN, 249, 1000)).toBe(false);
  expect(isWorthTakingMore(0, MOST_EVENTS_TAKEN - 1, 250, 1000)).toBe(false);
});

const NOW_MS = 100_000;

function clock(sources: readonly Partial<SourceState>[], rest: Partial<WindowClock> = {}): WindowClock {
  const whole = sources.map((source) => ({ ...live, ...source }));
  return { nowMs: NOW_MS, malMs: 1000, time: 'published', allowedLatenessMs: 0, sources: whole, ...rest };
}

test('QUERY-66 is as far as the source furthest behind has shown, less the lateness that is allowed', () => {
  expect(closedToMs(clock([{ newestMs: 50 }]))).toBe(50);
  expect(closedToMs(clock([{ newestMs: 50 }], { allowedLatenessMs: 20 }))).toBe(30);
  expect(closedToMs(clock([{ newestMs: 50 }, { newestMs: 40 }]))).toBe(40);
  expect(closedToMs(clock([{ newestMs: 50 }, {}]))).toBe(-Infinity);
  expect(closedToMs(clock([{ newestMs: 50 }, { newestMs: 40, hasEnded: true }]))).toBe(50);
  expect(closedToMs(clock([{ hasEnded: true }], { allowedLatenessMs: 20 }))).toBe(Infinity);
});

test('QUERY-66 goes by the claim of a source that makes one, and by no clock', () => {
  const idle = { isClaiming: true, idleSinceMs: 0 };
  expect(closedToMs(clock([{ ...idle, newestMs: 50, completeToMs: 70 }]))).toBe(70);
  expect(closedToMs(clock([{ ...idle, newestMs: 50, completeToMs: 40 }]))).toBe(50);
  expect(closedToMs(clock([{ ...idle, newestMs: 50 }]))).toBe(50);
  expect(closedToMs(clock([{ ...idle }]))).toBe(-Infinity);
});

test('QUERY-66 by their own time, grants members as long as the newest took to come, and the future nothing', () => {
  const version = { time: 'version' } as const;
  const source = { isClaiming: true, newestMs: 50, publishedMs: 80 };
  expect(closedToMs(clock([{ ...source, completeToMs: 100 }], version))).toBe(70);
  expect(closedToMs(clock([{ ...source, completeToMs: 60 }], version))).toBe(50);
  expect(closedToMs(clock([{ newestMs: NOW_MS + 5 }], { ...version, allowedLatenessMs: 1 }))).toBe(NOW_MS - 1);
  expect(closedToMs(clock([{ newestMs: NOW_MS + 5 }]))).toBe(NOW_MS + 5);
  expect(closedToMs(clock([{ hasEnded: true }], version))).toBe(Infinity);
});

test('QUERY-66 lets the time of a source that brings nothing go on after a MAL, from its newest member', () => {
  const idleFor = (ms: number) => closedToMs(clock([{ newestMs: 50, idleSinceMs: NOW_MS - ms }]));
  expect([0, 999, 1000, 1001, 5000].map(idleFor)).toEqual([50, 50, 50, 51, 4050]);
  const silentFor = (ms: number) => closedToMs(clock([{ idleSinceMs: NOW_MS - ms }]));
  expect([0, 999, 1000, 5000].map(silentFor)).toEqual([-Infinity, -Infinity, NOW_MS - 1000, NOW_MS - 1000]);
});

test('QUERY-66 knows when to look again', () => {
  const wake = (sources: readonly Partial<SourceState>[], rest?: Partial<WindowClock>) =>
    windowWakeMs(200, clock(sources, rest)) - NOW_MS;
  const idle = { newestMs: 50, idleSinceMs: NOW_MS - 100 };
  expect(wake([idle])).toBe(1050);
  expect(closedToMs(clock([idle], { nowMs: NOW_MS + 1050 }))).toBe(200);
  expect(closedToMs(clock([idle], { nowMs: NOW_MS + 1049 }))).toBe(199);
  expect(wake([idle], { allowedLatenessMs: 30 })).toBe(1080);
  expect(wake([idle, { hasEnded: true }, { newestMs: 300 }])).toBe(1050);
  expect(wake([{ isClaiming: true, newestMs: 50, completeToMs: 60 }])).toBe(Infinity);
  expect(wake([{ hasEnded: true }])).toBe(0);
  expect(windowWakeMs(NOW_MS + 70, clock([{ newestMs: NOW_MS + 90 }], { time: 'version' }))).toBe(NOW_MS + 70);
  expect(wake([{ idleSinceMs: NOW_MS - 100 }])).toBe(900);
});

test('waits until its time, or until it is called off', async () => {
  const controller = new AbortController();
  await sleep(1, controller.signal);
  const waiting = sleep(2 ** 30, controller.signal);
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(sleep(1, controller.signal)).rejects.toBe(reason);
});
