/* The shapes of members: what feeds become holds to them, and each of what they forbid is found. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream, type Member, memberQuads, parseQuads, prefixes, writeQuads } from '@ldes-live/rdf-stream';
import type { ContentShape } from '@ldes-live/server';
import { type FeedMessage, rtShape } from '@ldes-live/sources';
import { size } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { bus, detour, feedOf, sampleFeeds, train } from '../../packages/sources/test/gtfs/feeds.ts';
import { publishedLog } from '../support/published-log.ts';
import type { Quad } from '../support/read-tree.ts';
import { rtDrafts } from '../support/rt-drafts.ts';
import { shapeValidator } from './support/shape-validator.ts';

// That of specs/shapes/members.
const publicUrl = 'https://live.example.org/';
const description = describeStream({ publicUrl, name: 'vehicles' });

/** The shape of members as a server serves it, in Turtle. */
async function servedShape(shape?: ContentShape): Promise<string> {
  const published = await publishedLog({ clock: Date.now, publicUrl, ...(shape && { shape }) });
  const url = `http://localhost:${published.port}/vehicles/shape`;
  const turtle = await (await fetch(url, { headers: { accept: 'text/turtle' } })).text();
  await published.close();
  return turtle;
}
const shapes = { member: await servedShape(), rt: await servedShape(rtShape(`${description.url}/shape`)) };
const validatorOf = async (turtle: string) => shapeValidator(await parseQuads(turtle, 'turtle', publicUrl));
const validators = { member: await validatorOf(shapes.member), rt: await validatorOf(shapes.rt) };

/** The constraints that are not met. */
async function findings(quads: readonly Quad[], shape: keyof typeof shapes): Promise<string[]> {
  return (await validators[shape](quads)).map(({ constraint }) => constraint);
}

/** The members that feeds become one after another, and the ends of their entities. */
async function membersOf(feeds: readonly FeedMessage[]): Promise<readonly Member[]> {
  let nowMs = Date.parse('2026-01-01T00:00:00.250Z');
  const log = await createMemoryStore({ clock: () => nowMs, random: () => 0.5 }).open(description);
  for (const feed of feeds) {
    const drafts = await rtDrafts(feed, { publicUrl, streamUrl: description.url, publishLicensePlates: true });
    if (drafts.length === 0) continue;
    await log.append(drafts);
    nowMs += 1000;
    await log.append(drafts.map(({ entity }) => ({ kind: 'delete', entity, origin: 'feed' })));
    nowMs += 1000;
  }
  return log.read(0, log.head.cursor.sequence);
}

test.each(['member', 'rt'] as const)(
  'DOC-54 what feeds become, and the ends of entities, has the shape of %s',
  { timeout: 60_000 },
  async (shape) => {
    const feeds = [feedOf([bus, train, detour]), ...sampleFeeds(size({ gate: 10, night: 25 }))];
    const members = await membersOf(feeds);
    expect(members.length).toBeGreaterThan(60);
    expect(await findings(memberQuads(description, members), shape)).toEqual([]);
  },
);

const samples = await membersOf([feedOf([bus, train, detour])]);
const [position, update, alert, end] = samples.map((member) => memberQuads(description, [member]));

/** A member in Turtle, with some of its text replaced: every place where it stands. */
async function faulty(member: readonly Quad[] | undefined, from: string | RegExp, to: string): Promise<Quad[]> {
  const turtle = writeQuads(member ?? [], 'turtle', prefixes);
  const changed = turtle.replaceAll(from, to);
  expect(changed).not.toBe(turtle);
  // What the replacement uses may be new to the text.
  const all = Object.entries(prefixes).map(([prefix, iri]) => `PREFIX ${prefix}: <${iri}>\n`);
  return parseQuads(all.join('') + changed, 'turtle', publicUrl);
}

const IS_VERSION = ' dct:isVersionOf ';

test.each([
  ['no entity', position, / dct:isVersionOf <[^>]*> ;/g, '', 'MinCount'],
  ['two entities', end, IS_VERSION, `${IS_VERSION}<http://example.org/other>, `, 'MaxCount'],
  ['an entity that is a text', update, /isVersionOf <[^>]*>/g, 'isVersionOf "it"', 'NodeKind'],
  ['no publication time', alert, / prov:generatedAtTime [^;]* ;/g, '', 'MinCount'],
  ['a publication time that is a text', end, /(generatedAtTime "[^"]*")\^\^xsd:dateTime/g, '$1', 'Datatype'],
  ['no sequence number', position, / live:sequence 1 ;/g, '', 'MinCount'],
  ['a sequence number of 0', position, 'live:sequence 1', 'live:sequence 0', 'MinInclusive'],
  ['a sequence number with a fraction', end, /live:sequence 4/g, 'live:sequence 4.5', 'Datatype'],
  ['an end of two classes', end, 'a as:Delete', 'a as:Delete, schema:Event', 'Or'],
  ['an end that says more', end, ' a as:Delete', ' a as:Delete ; rdfs:label "x"', 'Or'],
])('DOC-54 the shape of every member finds %s', async (_, member, from, to, constraint) => {
  const quads = await faulty(member, from, to);
  for (const shape of ['member', 'rt'] as const) expect(await findings(quads, shape)).toContain(constraint);
});

test.each([
  ['in another zone', '"2026-01-01T01:00:00.250+01:00"'],
  ['in whole seconds', '"2026-01-01T00:00:00+00:00"'],
])('DOC-54 a time is a value: a publication time %s has the shape', async (_, spelling) => {
  const quads = await faulty(position, /(?<=generatedAtTime )"[^"]*"/g, spelling);
  for (const shape of ['member', 'rt'] as const) expect(await findings(quads, shape)).toEqual([]);
});

test.each([
  ['no class', position, 'a schema:Vehicle ;', ''],
  ['a class of another vocabulary', alert, 'grt:Alert', 'schema:Event'],
  ['a property that nothing writes', alert, 'dct:title', 'rdfs:comment'],
  ['a place that is twice there', position, ' wgs:lat ', ' wgs:lat 0.5, '],
  ['a number of another datatype', position, 'wgs:lat 47.636154', 'wgs:lat 47.636154e0'],
  ['a point that is a text', position, '^^geo:wktLiteral', ''],
  ['a geometry that is no point', position, 'POINT (', 'LINESTRING ('],
  ['a node of no class', position, 'a geo:Geometry ;', ''],
  ['a concept of another enumeration', update, 'rt:Scheduled', 'rt:StopTimeScheduled'],
  ['a concept that is a text', alert, 'rt:Detour', '"DETOUR"'],
  ['a reference that is a text', update, /gtfs:stop <[^>]*>/g, 'gtfs:stop "70232"'],
  ['a negative place in the trip', update, 'gtfs:stopSequence 20', 'gtfs:stopSequence -20'],
  ['a time without its datatype', update, /(arrivalTime "[^"]*")\^\^xsd:dateTime/g, '$1'],
  ['a delay in seconds', update, /arrivalDelay "PT60S"\^\^xsd:duration/g, 'arrivalDelay 60'],
])('DOC-54 the shape of what GTFS-Realtime is written as finds %s', async (_, member, from, to) => {
  const quads = await faulty(member, from, to);
  expect([await findings(quads, 'member'), await findings(quads, 'rt')]).toEqual([[], ['Or']]);
});

// LDES_LIVE_WRITE_SPECS=1 writes them anew after a change.
test.each(['member', 'rt'] as const)('DOC-54 specs/shapes/members/%s.ttl is what a server serves', (name) => {
  const file = fileURLToPath(new URL(`../../specs/shapes/members/${name}.ttl`, import.meta.url));
  if (process.env.LDES_LIVE_WRITE_SPECS) writeFileSync(file, shapes[name]);
  expect(readFileSync(file, 'utf8')).toBe(shapes[name]);
});
