import type { RetentionPolicy } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { keepUntil } from '../../src/retention/keep-until.ts';

const TIME_MS = Date.UTC(2026, 10, 21);
const time = new Date(TIME_MS).toISOString();
const [never, forEver] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

test.each<[RetentionPolicy, upsert: [number, number], remove: [number, number]]>([
  [{}, [forEver, never], [forEver, never]],
  [{ versionMs: 5 }, [forEver, never], [forEver, never]],
  [{ versionDeleteMs: 0 }, [forEver, never], [TIME_MS, never]],
  [{ fullLogMs: 10 }, [TIME_MS + 10, never], [TIME_MS + 10, never]],
  [{ fullLogMs: 10, versionDeleteMs: 5 }, [TIME_MS + 10, never], [TIME_MS + 10, never]],
  [{ versionAmount: 1 }, [never, forEver], [never, forEver]],
  [{ versionAmount: 1, versionMs: 5 }, [never, TIME_MS + 5], [never, TIME_MS + 5]],
  [{ versionAmount: 1, versionMs: 5, versionDeleteMs: 3 }, [never, TIME_MS + 5], [never, TIME_MS + 3]],
  [{ versionAmount: 1, versionMs: 3, versionDeleteMs: 5 }, [never, TIME_MS + 3], [never, TIME_MS + 3]],
  [{ fullLogMs: 10, versionAmount: 1, versionDeleteMs: 3 }, [TIME_MS + 10, forEver], [TIME_MS + 10, TIME_MS + 3]],
  [{ startingFrom: time }, [forEver, never], [forEver, never]],
  [{ startingFrom: '2026-11-21T01:00:00+01:00' }, [forEver, never], [forEver, never]],
  [{ startingFrom: '2026-11-21T00:00:00.001Z', fullLogMs: 10, versionAmount: 1 }, [never, never], [never, never]],
])('RET-1 policy %j', (policy, upsert, remove) => {
  for (const [kind, [aloneMs, newestMs]] of [
    ['upsert', upsert],
    ['delete', remove],
  ] as const) {
    expect(keepUntil(policy, { kind, time })).toEqual({ aloneMs, newestMs });
  }
});
