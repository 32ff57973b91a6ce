import { commitEvent, commitPieces, memberQuads, type SseEvent, SseParser, updateEvent } from '@ldes-live/codec';
import {
  blankNode,
  type Commit,
  commitDrafts,
  type Draft,
  describeStream,
  formatCursor,
  languageLiteral,
  literal,
  type Member,
  namedNode,
  ownNamespace,
  prefixes,
  quad,
  rdf,
  type UpsertDraft,
  xsd,
} from '@ldes-live/rdf-stream';
import { createRtMapping, decodeFeed, encodeFeed, entityDrafts, type FeedMessage } from '@ldes-live/sources';
import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import jsonld from 'jsonld';
import { expect, test } from 'vitest';
import { demoFeeds } from '../../packages/cli/src/demo/demo-feeds.ts';
import { simulate, tickAt } from '../../packages/cli/src/demo/simulate.ts';
import { transitNetwork } from '../../packages/cli/src/demo/transit-network.ts';

const publicUrl = 'https://live.example.org/';
const description = describeStream({ publicUrl, name: 'vehicles' });
const nowMs = Date.parse('2026-03-02T08:30:00Z');
const written = {
  ...prefixes,
  live: ownNamespace(publicUrl, 'live'),
  rt: ownNamespace(publicUrl, 'rt'),
};

const commitOf = (drafts: readonly Draft[]): Commit =>
  commitDrafts(drafts, { cursor: { epoch: 'abc', sequence: 0 }, timeMs: 0 }, nowMs, description.sequencePath);

const mapping = createRtMapping({ publicUrl, streamUrl: description.url });
const draftsOf = (bytes: Uint8Array) => entityDrafts(decodeFeed(bytes), { origin: 'feed', mapping }).drafts;

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
  await expectMembers(commitEvent(commit, description, written), members);
  const pieces = commitPieces(members, description, written);
  const all = [...members.keys()];
  for (const chosen of [[0], [members.length - 1], all.filter((index) => index % 2 === 0)]) {
    await expectMembers(
      updateEvent(pieces, id, chosen),
      chosen.map((index) => members[index] as Member),
    );
  }
}

const network = transitNetwork(2020);
const feeds = demoFeeds(simulate(network, tickAt(nowMs)));

test.each(Object.entries(feeds))(
  'PUSH-3/PUSH-19 the demonstration, %s: an event is JSON-LD that says its members',
  async (_name, feed: FeedMessage) => {
    const upserts = draftsOf(encodeFeed(feed));
    expect(upserts.length).toBeGreaterThan(0);
    const ended: Draft = { kind: 'delete', entity: `${description.url}/entities/ended`, origin: 'feed' };
    await expectCommit(commitOf([...upserts, ended]));
  },
);

const named = (name: string) => namedNode(`http://x.example/${name}`);
const value = namedNode(`${prefixes.rdf}value`);

function oddDraft(name: string, said: (subject: ReturnType<typeof named>) => UpsertDraft['quads']): Draft {
  const subject = named(name);
  return { kind: 'upsert', entity: subject.value, origin: 'odd', fingerprint: name, quads: said(subject) };
}

test('PUSH-3/PUSH-19 odd terms: an event is JSON-LD that says its members', async () => {
  const type = namedNode(rdf.type);
  await expectCommit(
    commitOf([
      oddDraft('types', (subject) => ['A', 'B', 'C'].map((name) => quad(subject, type, named(name)))),
      oddDraft('blank-type', (subject) => [
        quad(subject, type, blankNode('type')),
        quad(blankNode('type'), value, subject),
      ]),
      oddDraft('languages', (subject) => [
        quad(subject, value, languageLiteral('kat', 'nl-be')),
        quad(subject, value, languageLiteral('cat', 'en')),
        quad(subject, value, literal('cat')),
      ]),
      oddDraft('list', (subject) => [
        quad(subject, named('list'), blankNode('first')),
        quad(blankNode('first'), namedNode(`${prefixes.rdf}first`), literal('1', xsd.integer)),
        quad(blankNode('first'), namedNode(`${prefixes.rdf}rest`), blankNode('second')),
        quad(blankNode('second'), namedNode(`${prefixes.rdf}first`), subject),
        quad(blankNode('second'), namedNode(`${prefixes.rdf}rest`), namedNode(`${prefixes.rdf}nil`)),
      ]),
      oddDraft('empty-list', (subject) => [quad(subject, named('list'), namedNode(`${prefixes.rdf}nil`))]),
      oddDraft('cycle', (subject) => [
        quad(subject, value, blankNode('a')),
        quad(blankNode('a'), value, blankNode('b')),
        quad(blankNode('b'), value, blankNode('a')),
      ]),
      oddDraft('graphs', (subject) => [
        quad(subject, value, blankNode('graph')),
        quad(blankNode('a'), value, literal('in a named one'), named('graph')),
        quad(blankNode('a'), value, literal('in one without name'), blankNode('graph')),
      ]),
      oddDraft('literals', (subject) =>
        [
          ...['007', '-0', '9007199254740993', '5'].map((text) => literal(text, xsd.integer)),
          ...['true', '1'].map((text) => literal(text, xsd.boolean)),
          ...['01.50', '.5'].map((text) => literal(text, xsd.decimal)),
          ...['', '@id', '_:a', 'http://x.example/', '"\\\r\n\t\u2028', '😀'].map((text) => literal(text)),
          literal('{"a": [1]}', `${prefixes.rdf}JSON`),
          literal('2026-03-02T08:30:00Z', xsd.dateTime),
        ].map((object) => quad(subject, value, object)),
      ),
      oddDraft('iris', (subject) =>
        ['urn:x:1', 'mailto:a@b.example', 'tag:é,x', 'http://x.example/@type', 'rdf:a', 'tree:member'].map((iri) =>
          quad(subject, value, namedNode(iri)),
        ),
      ),
      oddDraft('others', (subject) => [
        quad(subject, value, named('types')),
        quad(named('types'), value, literal('said by another')),
        quad(namedNode(description.iri), value, subject),
      ]),
    ]),
  );
});

describeRecordings('recordings of real feeds', () => {
  test.each([
    'mbta/vehiclepositions.pb',
    'mbta/tripupdates.pb',
    'mbta/alerts.pb',
    'raba/raba-trip-updates.pb',
    'aomori/VehiclePosition.pb',
  ])('%s: an event is JSON-LD that says its members', async (path) => {
    await expectCommit(commitOf(draftsOf(recording(path))));
  });
});
