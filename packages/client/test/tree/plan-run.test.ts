import { expect, test } from 'vitest';
import { currentAt, planRun } from '../../src/tree/plan-run.ts';
import { member, ROOT, run, ScriptedPages } from './scripted-pages.ts';

const heads = [
  { sentMs: 100_000, ageMs: 2_000 },
  { sentMs: 100_050, ageMs: 0 },
];
const usual = { heads, malMs: 10_000, readMs: 500, clockOffsetMs: 0, phase: 0.5 };

test.each([0, 0.3, 0.999])('READ-25 at phase %d nothing is later than the MAL, from the oldest page on', (phase) => {
  const { atMs, lagBoundMs } = planRun({ ...usual, phase });
  const currentAtMs = currentAt(heads);
  expect(currentAtMs).toBe(98_000);
  expect(atMs).toBeGreaterThan(100_050);
  expect(atMs - currentAtMs + 500).toBeLessThanOrEqual(10_000);
  expect(lagBoundMs).toBe(atMs - currentAtMs + 500);
});

test('READ-25 where all pages say when they change next, they are asked for after that', () => {
  const predicted = heads.map((head) => ({ ...head, nextUpdateMs: 160_000 }));
  const { atMs, lagBoundMs } = planRun({ ...usual, heads: predicted });
  expect(atMs).toBeGreaterThanOrEqual(160_000);
  expect(atMs).toBeLessThanOrEqual(169_500);
  expect(lagBoundMs).toBeLessThanOrEqual(10_000);
});

test('READ-26 within the MAL, copies end first and the wish of the publisher is met', () => {
  const fresh = [{ ...heads[0]!, freshUntilMs: 107_400 }, heads[1]!];
  expect(planRun({ ...usual, heads: fresh, phase: 0 }).atMs).toBeGreaterThanOrEqual(107_400);
  expect(planRun({ ...usual, pollingIntervalMs: 7_000, phase: 0 }).atMs).toBeGreaterThanOrEqual(107_050);
});

test('READ-26 beyond the MAL, the MAL goes before', () => {
  const fresh = heads.map((head) => ({ ...head, freshUntilMs: 500_000 }));
  const { atMs, lagBoundMs } = planRun({ ...usual, heads: fresh, pollingIntervalMs: 60_000 });
  expect(atMs).toBeLessThanOrEqual(107_500);
  expect(lagBoundMs).toBeLessThanOrEqual(10_000);
});

test('READ-26 a copy that would be reused for longer is revalidated', async () => {
  const text = ROOT + member('a1', '2026-01-01T01:00:00Z');
  for (const [headers, cache] of [
    [{ 'cache-control': 'public, max-age=600' }, 'no-cache'],
    [{ 'cache-control': 'public, max-age=5' }, undefined],
    [{ 'cache-control': 'public, max-age=5', age: '3' }, undefined],
    [{ expires: 'Thu, 01 Jan 2026 12:10:00 GMT' }, 'no-cache'],
    [{ expires: 'Thu, 01 Jan 2026 11:00:00 GMT' }, undefined],
  ] as const) {
    const pages = new ScriptedPages({ '/root': { text, headers } });
    const reading = await pages.open();
    await run(reading);
    pages.nowMs = reading.plan(10_000).atMs;
    await run(reading);
    expect(pages.asked.at(-1)?.cache).toBe(cache);
  }
});

test('READ-25 a smaller MAL that comes to a shared reading counts at once', async () => {
  const reading = await new ScriptedPages({ '/root': ROOT }).open();
  await run(reading);
  const sooner = reading.plan(1_000);
  expect(sooner.atMs).toBeLessThan(reading.plan(10_000).atMs);
  expect(sooner.lagBoundMs).toBeLessThanOrEqual(1_000);
});
