import {
  type Commit,
  commitDrafts,
  type Draft,
  describeStream,
  eventText,
  formatCursor,
  type Member,
  MemberWriter,
  memberQuads,
  parseQuads,
  prefixes,
  type SseEvent,
  SseParser,
} from '@ldes-live/rdf-stream';
import type { FeedMessage } from '@ldes-live/sources';
import { commitEvent } from '@ldes-live/test-support/events';
import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import jsonld from 'jsonld';
import { expect, test } from 'vitest';
import { demoFeeds, tickAt, transitNetwork } from '../../packages/cli/src/demo/index.ts';
import { rtDrafts } from '../support/rt-drafts.ts';

const publicUrl = 'https://live.example.org/';
const description = describeStream({ publicUrl, name: 'vehicles' });
const nowMs = Date.parse('2026-03-02T08:30:00Z');

const commitOf = (drafts: readonly Draft[]): Commit =>
  commitDrafts(drafts, { cursor: { epoch: 'abc', sequence: 0 }, timeMs: 0 }, nowMs, description.sequencePath);

// What a processor of the standard makes of an event: it knows nothing of this project, and fetches nothing.
async function quadsOf(event: Uint8Array): Promise<string> {
  const events: SseEvent[] = [];
  new SseParser({ onEvent: (read) => events.push(read) }).push(event);
  expect(events.map(({ event: type }) => type)).toEqual(['update']);
  const document = JSON.parse((events[0] as SseEvent).data);
  const documentLoader = () => Promise.reject(new Error('A remote context is asked for.'));
  // Safe mode refuses whatever would be dropped.
  const options = { safe: true, documentLoader };
  const expanded = await jsonld.expand(document, options);
  return (await jsonld.toRDF(expanded as never, { ...options, format: 'application/n-quads' })) as never as string;
}

async function expectMembers(event: Uint8Array, members: readonly Member[]): Promise<void> {
  const expected = await canonical(memberQuads(description, members));
  expect(await canonicalText(await quadsOf(event))).toBe(expected);
}

/** Checks the event of a commit, and those of its first, its last, and every second member. */
async function expectCommit(commit: Commit): Promise<void> {
  const { members } = commit;
  const id = formatCursor(commit.cursor);
  await expectMembers(commitEvent(commit, description, prefixes), members);
  const joined = new MemberWriter(description, prefixes).joined(members);
  const all = [...members.keys()];
  for (const chosen of [[0], [members.length - 1], all.filter((index) => index % 2 === 0)]) {
    await expectMembers(
      new TextEncoder().encode(eventText(joined, id, chosen)),
      chosen.map((index) => members[index] as Member),
    );
  }
}

const network = transitNetwork(2020);
const feeds = demoFeeds(network, tickAt(nowMs));

test.each(Object.entries(feeds))(
  'PUSH-3 the demonstration, %s: an event is JSON-LD that says its members',
  async (_name, feed: FeedMessage) => {
    const upserts = await rtDrafts(feed, { publicUrl, streamUrl: description.url });
    expect(upserts.length).toBeGreaterThan(0);
    const ended: Draft = { kind: 'delete', entity: `${description.url}/entities/ended`, origin: 'feed' };
    await expectCommit(commitOf([...upserts, ended]));
  },
);

// Each is an entity, by its name, and what is said of it or beside it: TriG, in which rdf:value is `:`.
const ODD = {
  types: '<types> a <A>, <B>, <C> .',
  'blank-type': '<blank-type> a _:type . _:type : <blank-type> .',
  languages: '<languages> : "kat"@nl-be, "cat"@en, "cat" .',
  list: '<list> <list> _:first . _:first rdf:first 1 ; rdf:rest _:second . _:second rdf:first <list> ; rdf:rest rdf:nil .',
  'empty-list': '<empty-list> <list> rdf:nil .',
  cycle: '<cycle> : _:a . _:a : _:b . _:b : _:a .',
  graphs: '<graphs> : _:graph . <graph> { _:a : "in a named one" } _:graph { _:a : "in one without name" }',
  literals: `<literals> : "007"^^xsd:integer, "-0"^^xsd:integer, 9007199254740993, 5, true, "1"^^xsd:boolean, 01.50, .5,
    "", "@id", "_:a", "http://x.example/", "\\"\\\\\\r\\n\\t\\u2028", "😀", "{\\"a\\": [1]}"^^rdf:JSON,
    "2026-03-02T08:30:00Z"^^xsd:dateTime .`,
  iris: '<iris> : <urn:x:1>, <mailto:a@b.example>, <tag:é,x>, <http://x.example/@type>, <rdf:a>, <tree:member> .',
  others: `<others> : <types> . <types> : "said by another" . <${description.iri}> : <others> .`,
};

async function oddDraft([name, said]: readonly [string, string]): Promise<Draft> {
  const head = `PREFIX rdf: <${prefixes.rdf}> PREFIX xsd: <${prefixes.xsd}> PREFIX : <${prefixes.rdf}value>\n`;
  const quads = await parseQuads(head + said, 'trig', 'http://x.example/');
  return { kind: 'upsert', entity: `http://x.example/${name}`, origin: 'odd', fingerprint: name, quads };
}

test('PUSH-3 odd terms: an event is JSON-LD that says its members', async () => {
  await expectCommit(commitOf(await Promise.all(Object.entries(ODD).map(oddDraft))));
});

describeRecordings('recordings of real feeds', () => {
  test.each([
    'mbta/vehiclepositions.pb',
    'mbta/tripupdates.pb',
    'mbta/alerts.pb',
    'raba/raba-trip-updates.pb',
    'aomori/VehiclePosition.pb',
  ])('%s: an event is JSON-LD that says its members', async (path) => {
    await expectCommit(commitOf(await rtDrafts(recording(path), { publicUrl, streamUrl: description.url })));
  });
});
