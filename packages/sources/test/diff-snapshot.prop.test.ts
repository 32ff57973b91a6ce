import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { diffSnapshot } from '../src/diff-snapshot.ts';
import { LatestMap } from './latest-map.ts';

const ORIGIN = 'http://feed.example/a';
const NONE: ReadonlySet<string> = new Set();
const contents = fc.dictionary(fc.constantFrom(...'abcdefgh'), fc.constantFrom('1', '2', '3'));

function draftsOf(content: Record<string, string>): UpsertDraft[] {
  return Object.entries(content).map(([entity, fingerprint]) => ({
    kind: 'upsert',
    entity,
    origin: ORIGIN,
    quads: [],
    fingerprint,
  }));
}

test('GTFS-38 appending what full datasets change rebuilds each of them, by the fewest drafts', () => {
  check(
    fc.property(fc.array(contents), (polls) => {
      const latest = new LatestMap();
      let before: Record<string, string> = {};
      for (const content of polls) {
        const said = {
          drafts: draftsOf(content),
          deletedEntities: [],
          unreadableEntities: [],
          differential: false,
          findings: {},
        };
        const { drafts } = diffSnapshot(said, ORIGIN, latest, NONE);
        latest.append(drafts);
        const entries = latest.entriesOf(ORIGIN).map(({ entity, fingerprint }) => [entity, fingerprint]);
        expect(Object.fromEntries(entries)).toEqual({ ...content });
        const names = new Set([...Object.keys(before), ...Object.keys(content)]);
        expect(drafts).toHaveLength([...names].filter((name) => before[name] !== content[name]).length);
        before = content;
      }
    }),
  );
});
