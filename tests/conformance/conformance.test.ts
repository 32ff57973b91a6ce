import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedLog } from '../support/published-log.ts';
import { documentCases } from './documents.ts';
import { formatCases } from './formats.ts';
import { judge } from './judge.ts';
import { pushCases } from './push.ts';
import { refusalCases } from './refusals.ts';
import { discover, type Target } from './target.ts';

const CASES = [...formatCases, ...documentCases, ...refusalCases, ...pushCases];

/** A server to run the suite against: a stream with a sealed page, an open one, and updates every 5 seconds. */
async function ownServer() {
  // Fixed: a document that is not scheduled behind the back of a case has one answer.
  let nowMs = Date.parse('2026-01-01T00:00:00.250Z');
  const published = await publishedLog({
    clock: () => nowMs,
    schedule: () => ({ kind: 'interval', intervalMs: 5000, nextMs: nowMs + 3500 }),
  });
  for (let commit = 0; commit < 13; commit += 1) {
    nowMs += 5000;
    await published.publish(50);
  }
  nowMs += 1500;
  return published;
}

const given = process.env.LDES_LIVE_BASE_URL;
let target: Target = {};
let close = async () => {};

beforeAll(async () => {
  if (given) {
    target = await discover(given);
    return;
  }
  const own = await ownServer();
  close = own.close;
  target = await discover(own.publicUrl);
});
afterAll(() => close());

test.for(CASES.map((tried) => [tried.name, tried] as const))('%s', async ([, tried], { skip }) => {
  const lacking = await judge(tried, target);
  // A server of others may have no sealed page yet; the one started here has everything.
  if (!given) expect(lacking, 'what the server lacks').toEqual([]);
  else if (lacking.length > 0) skip(`the server has no ${lacking.join(', ')}`);
});

test('the suite is large, and names each case once', () => {
  const ids = CASES.map(({ name }) => /(?:[A-Z]+-\d+ )+/.exec(name)?.[0].trim().split(' ').at(-1));
  expect(ids.length).toBeGreaterThan(100);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
