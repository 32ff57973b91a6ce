import type { Draft, UpsertDraft } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { judgeDrafts } from '../../src/mqtt/judge-drafts.ts';
import { LatestMap } from '../latest-map.ts';

const state = (fingerprint: string, versionTime?: string): UpsertDraft => ({
  kind: 'upsert',
  entity: 'e',
  origin: 'o',
  quads: [],
  fingerprint,
  ...(versionTime === undefined ? {} : { versionTime }),
});
const END: Draft = { kind: 'delete', entity: 'e', origin: 'o' };
const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T01:00:00Z';

async function judged(before: readonly Draft[], draft: Draft, isOld = false) {
  const latest = new LatestMap();
  for (const each of before) latest.append([each]);
  const { drafts, findings } = await judgeDrafts([{ draft, isOld }], latest);
  return [drafts.length, findings];
}

test.each([
  ['a new state', [], state('1'), [1, {}]],
  ['another state', [state('1')], state('2'), [1, {}]],
  ['the same state', [state('1')], state('1'), [0, { unchanged: 1 }]],
  ['the state that ended', [state('1'), END], state('1'), [1, {}]],
  ['a new observation', [{ ...state('i'), id: 'i' }], { ...state('j'), id: 'j' }, [1, {}]],
  [
    'an observation before the newest one',
    [
      { ...state('i'), id: 'i' },
      { ...state('j'), id: 'j' },
    ],
    { ...state('i'), id: 'i' },
    [0, { repeated: 1 }],
  ],
  ['the end of what lives', [state('1')], END, [1, {}]],
  ['the end of what does not live', [], END, [0, { unknownEnds: 1 }]],
] as const)('MQTT-7 %s', async (_name, before, draft, expected) => {
  expect(await judged(before, draft)).toEqual(expected);
});

test('MQTT-15 what came from another source is not ended', async () => {
  expect(await judged([{ ...state('1'), origin: 'other' }], END)).toEqual([0, { unknownEnds: 1 }]);
});

test('MQTT-7 an older state replaces a newer one only when it came for the first time', async () => {
  const before = [state('new', LATE)];
  expect(await judged(before, state('old', EARLY), true)).toEqual([0, { outdated: 1 }]);
  expect(await judged(before, state('old', EARLY), false)).toEqual([1, { versionTimesBack: 1 }]);
  expect(await judged(before, state('other', LATE), true)).toEqual([1, {}]);
  expect(await judged([state('timeless')], state('old', EARLY), true)).toEqual([1, {}]);
});
