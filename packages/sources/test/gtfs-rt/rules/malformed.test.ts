import { existsSync, readFileSync } from 'node:fs';
import { isStreamError } from '@ldes-live/rdf-stream';
import { describeRecordings, pathOfRecording, recording, recordings } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { type DecodedFeed, decodeFeed } from '../../../src/gtfs-rt/decode-feed.ts';
import { brokenRules } from '../../../src/gtfs-rt/rules/broken-rules.ts';
import type { PreviousFeed } from '../../../src/gtfs-rt/rules/rule.ts';
import { rules } from '../../../src/gtfs-rt/rules/rules.ts';

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
