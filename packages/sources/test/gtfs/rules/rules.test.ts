import { existsSync, readFileSync } from 'node:fs';
import { isStreamError } from '@ldes-live/rdf-stream';
import { describeRecordings, pathOfRecording, recording, recordings } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { type DecodedFeed, decodeFeed } from '../../../src/gtfs/decode-feed.ts';
import { brokenRules } from '../../../src/gtfs/rules/broken-rules.ts';
import type { PreviousFeed } from '../../../src/gtfs/rules/rule.ts';
import { rules } from '../../../src/gtfs/rules/rules.ts';
import {
  brokenBy,
  feedOf,
  NOW,
  STATED,
  STOPS,
  stops,
  TRIP,
  undone,
  updateEntity,
  vehicleEntity,
} from './judged-feed.ts';
import { ruleCases } from './rule-cases.ts';

const rows = ruleCases.map((one) => [one[0], one] as const);

test.each(rows)('GTFS-51 %s is found, as often as it is broken, and not where it is kept', (id, one) => {
  const [, breaks, count, keeps, breaksAfter, keepsAfter] = one;
  expect(brokenBy(breaks, breaksAfter)[id]).toBe(count);
  expect(brokenBy(keeps, keepsAfter)).not.toHaveProperty(id);
});

test('GTFS-51 each rule has a feed that breaks it and one that keeps it', () => {
  expect([...new Set(ruleCases.map(([id]) => id))].sort()).toEqual(rules.map(({ id }) => id).sort());
});

test('GTFS-50 a feed that keeps every rule has no findings, with and without a feed before it', () => {
  expect(brokenBy(feedOf())).toEqual({});
  expect(brokenBy(feedOf(), { timestamp: STATED - 20 })).toEqual({});
  expect(brokenBy(feedOf([]))).toEqual({});
});

test('GTFS-50 each rule has an id of its own, the ids of the public validator among them', () => {
  const ids = rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const errors = '01 02 12 17 18 20 21 22 25 26 27 31 32 33 36 37 38 39 40 41 42 43 44 47 48 49 50 52';
  const warnings = '1 2 3 4 6 7 8 9';
  for (const number of errors.split(' ')) expect(ids).toContain(`E0${number}`);
  for (const number of warnings.split(' ')) expect(ids).toContain(`W00${number}`);
  for (const { id, severity } of rules) {
    if (/^E\d/.test(id)) expect(severity).toBe('error');
    if (/^W\d/.test(id)) expect(severity).toBe('warning');
  }
});

test('GTFS-50 the rules tell the present only by what they are given, and change nothing', () => {
  const feed = feedOf([updateEntity({ stop_time_update: [...STOPS].reverse() }), vehicleEntity()]);
  const before = structuredClone(feed);
  expect(brokenRules(feed, { nowSeconds: NOW })).toEqual(brokenRules(feed, { nowSeconds: NOW }));
  expect(brokenRules(feed, { nowSeconds: NOW + 3600 })).toMatchObject({ W008: 1 });
  expect(feed).toEqual(before);
});

// What the validator reports of feeds with these defects.
test('GTFS-52 sixty vehicles on fifteen trips, named otherwise in the two kinds, count as the public validator counts', () => {
  const trip = (number: number) => ({ ...TRIP, trip_id: `t${number % 15}` });
  const numbers = Array.from({ length: 60 }, (_, number) => number);
  const feed = feedOf([
    ...numbers.map((number) => updateEntity({ trip: trip(number), vehicle: { id: `u${number}` } }, `u${number}`)),
    ...numbers.map((number) => vehicleEntity({ trip: trip(number + 7), vehicle: { id: `v${number}` } }, `v${number}`)),
  ]);
  expect(brokenBy(feed)).toEqual({ E047: 15, W003: 75 });
});

test('GTFS-52 times that go back, and stop times that say nothing, count as the public validator counts', () => {
  const back = stops(
    [1, { arrival: { time: NOW + 400 }, departure: { time: NOW + 300 } }],
    [2, { arrival: { time: NOW + 200 }, departure: { time: NOW + 600 } }],
  );
  expect(brokenBy(back)).toEqual({ E022: 2, E025: 1 });
  const empty = stops(
    [1, { arrival: { delay: 60 } }],
    [2],
    [3, { arrival: {} }],
    [4, { arrival: { delay: 60 }, departure: {} }],
    [5, { arrival: { delay: 60 }, schedule_relationship: 'NO_DATA' }],
    [6, { arrival: { delay: 60 }, stop_id: undone, stop_sequence: undone }],
  );
  expect(brokenBy(empty)).toEqual({ E040: 1, E042: 1, E043: 1, E044: 2 });
  expect(() => brokenBy(feedOf([], { gtfs_realtime_version: '3.0' }))).toThrow(/version "3\.0"/);
});

const FOLDER = 'malformed/one-defect';
const FIRST_SECONDS = 1_700_000_000;
const OWN = rules.filter(({ id }) => !/^[EW]\d{3}$/.test(id)).map(({ id }) => id);
const known = new Set(rules.map(({ id }) => id));

type Outcome = 'refused' | 'same' | Readonly<Record<string, number>>;

/** What each file of a folder breaks, the folder being one sequence of polls a second apart. */
function outcomes(folder: string): [file: string, outcome: Outcome][] {
  let previous: (Omit<PreviousFeed, 'isSame'> & { readonly bytes: Uint8Array }) | undefined;
  return recordings(`${FOLDER}/${folder}`).map((path, index): [string, Outcome] => {
    const nowSeconds = FIRST_SECONDS + index;
    const bytes = recording(path);
    if (previous && Buffer.compare(bytes, previous.bytes) === 0) return [path, 'same'];
    const feed = readable(bytes)?.feed;
    if (!feed) return [path, 'refused'];
    const before = previous && { ...previous, isSame: false };
    const broken = brokenRules(feed, { nowSeconds, ...(before ? { previous: before } : {}) });
    const { timestamp } = feed.header;
    previous = { bytes, seenSeconds: nowSeconds, ...(timestamp === undefined ? {} : { timestamp }) };
    return [path, Object.fromEntries(Object.entries(broken).filter(([id]) => !OWN.includes(id)))];
  });
}

// One file is refused for its version alone: what it breaks besides is read as of a version that is known.
function readable(bytes: Uint8Array): DecodedFeed | undefined {
  try {
    return decodeFeed(bytes);
  } catch (error) {
    if (!isStreamError(error) || error.code !== 'ERR_FEED_VERSION') return undefined;
    const asKnown = Buffer.from(bytes);
    asKnown.write('1.0', asKnown.indexOf('3.0'));
    const { feed, ...rest } = decodeFeed(asKnown);
    return { ...rest, feed: { ...feed, header: { ...feed.header, gtfs_realtime_version: '3.0' } } };
  }
}

/** How often each rule is broken by a recording, as the public validator says; nothing where it says nothing. */
function expectedRules(path: string): Readonly<Record<string, number>> | undefined {
  const file = pathOfRecording(`${path}.results.json`);
  if (!existsSync(file)) return undefined;
  const results = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly errorMessage: { readonly validationRule: { readonly errorId: string } };
    readonly occurrenceList: readonly unknown[];
  }[];
  return Object.fromEntries(
    results.map(({ errorMessage, occurrenceList }) => [errorMessage.validationRule.errorId, occurrenceList.length]),
  );
}

describeRecordings('feeds of one defect each', () => {
  const folders = ['bullrunner', 'bullrunner-ignoring-shapes', 'testagency2', 'timepoints'];
  const all = () => folders.flatMap(outcomes);

  test('GTFS-52 each breaks the rules that the public validator says, as often, timetables aside', () => {
    let files = 0;
    for (const [path, outcome] of all()) {
      const expected = expectedRules(path);
      if (typeof outcome === 'string') {
        expect([path, expected]).toEqual([path, undefined]);
        continue;
      }
      files += 1;
      const comparable = Object.entries(expected ?? {}).filter(([id]) => known.has(id));
      expect([path, outcome]).toEqual([path, Object.fromEntries(comparable)]);
    }
    expect(files).toBe(28);
  });

  test('GTFS-52 every rule of the public validator that needs no timetable is broken by one of them', () => {
    const broken = new Set(all().flatMap(([, outcome]) => (typeof outcome === 'string' ? [] : Object.keys(outcome))));
    expect([...broken].sort()).toEqual([...known].filter((id) => !OWN.includes(id)).sort());
  });

  test('GTFS-52 what cannot be read is refused, and what comes again is the same', () => {
    const [unread, same] = ['refused', 'same'].map((kind) => all().filter(([, outcome]) => outcome === kind));
    expect(unread?.map(([path]) => path.replace(/^.*\//, ''))).toEqual(['13-truncated.pb', '14-empty-file.pb']);
    expect(same?.map(([path]) => path.replace(/^.*\//, ''))).toEqual([
      '12-duplicate-of-11.pb',
      '23-duplicate-of-22.pb',
    ]);
  });
});
