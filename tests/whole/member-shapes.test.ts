import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { memberQuads, parseQuads, writeQuads } from '@ldes-live/codec';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream, type Member, ownNamespace, prefixes } from '@ldes-live/rdf-stream';
import { type ContentShape, createLiveServer } from '@ldes-live/server';
import { createRtMapping, entityDrafts, type FeedMessage, rtShape } from '@ldes-live/sources';
import { size } from '@ldes-live/test-support/properties';
import SHACLValidator from 'rdf-validate-shacl';
import { expect, test } from 'vitest';
import { sampleFeeds } from '../../packages/sources/test/gtfs-rt/arbitrary-feed.ts';
import { bus, detour, feedOf, train } from '../../packages/sources/test/gtfs-rt/sample-feed.ts';

// That of specs/shapes/members.
const publicUrl = 'https://live.example.org/';
const description = describeStream({ publicUrl, name: 'vehicles' });
const live = ownNamespace(publicUrl, 'live');
const rt = ownNamespace(publicUrl, 'rt');
type Quads = Awaited<ReturnType<typeof parseQuads>>;

const { factory } = new SHACLValidator(new Set() as never);
const shapes = { member: await servedShape(), rt: await servedShape(rtShape(publicUrl, `${description.url}/shape`)) };

const validators = { member: await validatorOf(shapes.member), rt: await validatorOf(shapes.rt) };

async function validatorOf(turtle: string): Promise<SHACLValidator> {
  return new SHACLValidator(factory.dataset(await parseQuads(turtle, 'turtle', publicUrl)));
}

/** The shape of members as a server serves it, in Turtle. */
async function servedShape(shape?: ContentShape): Promise<string> {
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(description);
  const stream = { description, log, sources: () => [], ...(shape ? { shape } : {}) };
  const server = await createLiveServer({ publicUrl, streams: [stream] });
  const port = await server.listen({ host: 'localhost', port: 0 });
  const response = await fetch(`http://localhost:${port}/vehicles/shape`, { headers: { accept: 'text/turtle' } });
  const turtle = await response.text();
  await server.close();
  return turtle;
}

/** The members that feeds become one after another, and the ends of their entities. */
async function membersOf(feeds: readonly FeedMessage[]): Promise<readonly Member[]> {
  const mapping = createRtMapping({ publicUrl, streamUrl: description.url, publishLicensePlates: true });
  let nowMs = Date.parse('2026-01-01T00:00:00.250Z');
  const log = await createMemoryStore({ clock: () => nowMs, random: () => 0.5 }).open(description);
  for (const feed of feeds) {
    const { drafts } = entityDrafts({ feed, unknownFields: {}, skippedEntities: [] }, { origin: 'feed', mapping });
    if (drafts.length === 0) continue;
    await log.append(drafts);
    nowMs += 1000;
    await log.append(drafts.map(({ entity }) => ({ kind: 'delete', entity, origin: 'feed' })));
    nowMs += 1000;
  }
  return log.members(0, log.head.cursor.sequence);
}

/** What validation finds: the local names of the constraints that are not met. */
async function findings(quads: Readonly<Quads>, shape: keyof typeof shapes): Promise<string[]> {
  const report = await validators[shape].validate(factory.dataset([...quads]));
  return report.results.map(({ sourceConstraintComponent: component }) => {
    const iri = component?.value ?? '';
    return iri.slice(iri.indexOf('#') + 1);
  });
}

test.each(['member', 'rt'] as const)(
  'DOC-54 DOC-55 what feeds become, and the ends of entities, has the shape of %s',
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
async function faulty(member: Readonly<Quads> | undefined, from: string | RegExp, to: string): Promise<Quads> {
  const turtle = writeQuads(member ?? [], 'turtle', { ...prefixes, live, rt });
  const changed = turtle.replaceAll(from, to);
  expect(changed).not.toBe(turtle);
  // What the replacement uses may be new to the text.
  const all = Object.entries(prefixes).map(([prefix, iri]) => `PREFIX ${prefix}: <${iri}>\n`);
  return parseQuads(all.join('') + changed, 'turtle', publicUrl);
}

test.each([
  ['no entity', position, / dct:isVersionOf <[^>]*> ;/g, '', 'MinCountConstraintComponent'],
  [
    'two entities',
    end,
    ' dct:isVersionOf ',
    ' dct:isVersionOf <http://example.org/other>, ',
    'MaxCountConstraintComponent',
  ],
  ['an entity that is a text', update, /isVersionOf <[^>]*>/g, 'isVersionOf "it"', 'NodeKindConstraintComponent'],
  ['no publication time', alert, / prov:generatedAtTime [^;]* ;/g, '', 'MinCountConstraintComponent'],
  [
    'a publication time that is a text',
    end,
    /(generatedAtTime "[^"]*")\^\^xsd:dateTime/g,
    '$1',
    'DatatypeConstraintComponent',
  ],
  [
    'a publication time in whole seconds',
    position,
    /(generatedAtTime ".*)\.250Z/g,
    '$1Z',
    'PatternConstraintComponent',
  ],
  ['no sequence number', position, / live:sequence 1 ;/g, '', 'MinCountConstraintComponent'],
  ['a sequence number of 0', position, 'live:sequence 1', 'live:sequence 0', 'MinInclusiveConstraintComponent'],
  ['a sequence number with a fraction', end, /live:sequence 4/g, 'live:sequence 4.5', 'DatatypeConstraintComponent'],
  ['an end of two classes', end, 'a as:Delete', 'a as:Delete, schema:Event', 'OrConstraintComponent'],
  ['an end that says more', end, ' a as:Delete', ' a as:Delete ; rdfs:label "x"', 'OrConstraintComponent'],
])('DOC-54 the shape of every member finds %s', async (_, member, from, to, constraint) => {
  expect(await findings(await faulty(member, from, to), 'member')).toContain(constraint);
  expect(await findings(await faulty(member, from, to), 'rt')).toContain(constraint);
});

test.each([
  ['no class', position, 'grt:VehiclePosition, ', ''],
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
])('DOC-55 the shape of what GTFS-Realtime is written as finds %s', async (_, member, from, to) => {
  expect(await findings(await faulty(member, from, to), 'member')).toEqual([]);
  expect(await findings(await faulty(member, from, to), 'rt')).toEqual(['OrConstraintComponent']);
});

// LDES_LIVE_WRITE_SPECS=1 writes them anew after a change.
test.each(['member', 'rt'] as const)('DOC-54 specs/shapes/members/%s.ttl is what a server serves', (name) => {
  const file = fileURLToPath(new URL(`../../specs/shapes/members/${name}.ttl`, import.meta.url));
  if (process.env.LDES_LIVE_WRITE_SPECS) writeFileSync(file, shapes[name]);
  expect(readFileSync(file, 'utf8')).toBe(shapes[name]);
});
