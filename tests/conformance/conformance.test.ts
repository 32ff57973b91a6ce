import { afterAll, beforeAll, expect, test } from 'vitest';
import { cachingCases } from './caching-cases.ts';
import { conditionCases } from './condition-cases.ts';
import { encodingCases } from './encoding-cases.ts';
import { errorCases } from './error-cases.ts';
import { judge } from './judge.ts';
import { negotiationCases } from './negotiation-cases.ts';
import { originCases } from './origin-cases.ts';
import { ownServer } from './own-server.ts';
import { pagingCases } from './paging-cases.ts';
import { pushCases } from './push-cases.ts';
import { discover, type Target } from './target.ts';

const CASES = [
  ...negotiationCases,
  ...encodingCases,
  ...conditionCases,
  ...cachingCases,
  ...pagingCases,
  ...errorCases,
  ...originCases,
  ...pushCases,
];

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

test.for(CASES.map((tried) => [`${tried.cites} ${tried.id} ${tried.says}`, tried] as const))(
  '%s',
  async ([, tried], { skip }) => {
    const lacking = await judge(tried, target);
    // A server of others may have no sealed page yet; the one started here has everything.
    if (!given) expect(lacking, 'what the server lacks').toEqual([]);
    else if (lacking.length > 0) skip(`the server has no ${lacking.join(', ')}`);
  },
);

test('the suite is large, and names each case once', () => {
  const ids = CASES.map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(100);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
