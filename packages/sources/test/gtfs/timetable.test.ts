import { buffer } from 'node:stream/consumers';
import { namedNode } from '@ldes-live/rdf-stream';
import { describedTree } from '@ldes-live/test-support/rdf';
import { describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { createEntityIris } from '../../src/gtfs/keys.ts';
import { readTimetable } from '../../src/gtfs/timetable.ts';
import { TIMETABLE_PARTS } from '../../src/gtfs/timetable-fields.ts';
import { createTimetableSource, timetableIris } from '../../src/gtfs/timetable-source.ts';
import type { SourceEvent } from '../../src/source.ts';
import { ok, openFeedServer } from '../feed-server.ts';
import { accepted, failed, rejected, startPolling } from '../polling.ts';
import { publicUrl, turtleTree } from './feeds.ts';

const streamUrl = `${publicUrl}timetable`;
const at = (path: string) => `${streamUrl}/entities/${path}`;

const to = (path: string) => `<${at(path)}>`;

type Files = Readonly<Record<string, string>>;
type Limits = Parameters<typeof createTimetableSource>[0]['limits'];
type Include = Parameters<typeof createTimetableSource>[0]['include'];

/** The least that is a timetable. */
const AGENCY = 'agency_id,agency_name,agency_lang\nA,The Agency,en\n';
const ROUTES = 'route_id,route_short_name\n1,One\n2,Two\n';
const STOPS = 'stop_id,stop_name,stop_lat,stop_lon\ns1,First,51.05,3.72\ns2,Second,51.06,3.73\n';
const SMALL: Files = { 'agency.txt': AGENCY, 'routes.txt': ROUTES, 'stops.txt': STOPS };

const SHAPE_COLUMNS = 'shape_id,shape_pt_sequence,shape_pt_lat,shape_pt_lon';
const shapesOf = (...points: string[]): Files => ({ 'shapes.txt': [SHAPE_COLUMNS, ...points].join('\n') });

async function zipOf(files: Files, compress = true): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name, { compress });
  zip.end();
  return await buffer(zip.outputStream);
}

/** A source of these files or this body, of which a test may serve others later. */
async function timetableOf(body: Files | Uint8Array, limits: Limits = {}, include?: Include) {
  const bytesOf = async (now: Files | Uint8Array) => (now instanceof Uint8Array ? now : await zipOf(now));
  const server = await openFeedServer(ok(await bytesOf(body)));
  const options = { url: server.url, publicUrl, streamUrl, limits, ...(include && { include }) };
  const polling = startPolling((environment) => createTimetableSource(options, environment));
  const serve = async (now: Files | Uint8Array) => {
    server.answer = ok(await bytesOf(now));
    return await polling.poll();
  };
  /** What an entity says in the batches so far, and the values of a property of it. */
  const quadsOf = (path: string) => {
    const all = polling.latest.batches.flat();
    return all.flatMap((draft) => (draft.kind === 'upsert' && draft.entity === at(path) ? draft.quads : []));
  };
  const about = (path: string) => describedTree(quadsOf(path), namedNode(at(path)));
  const values = (path: string, property: string) =>
    quadsOf(path).flatMap(({ predicate, object }) => (predicate.value.endsWith(property) ? [object] : []));
  return { ...polling, serve, about, values };
}

const messages = (event: SourceEvent) => ('problems' in event ? event.problems.map(({ message }) => message) : []);

test('TT-1 routes, stops and agencies are entities, trips and shapes on request, and stop times are never read', async () => {
  const trips = 'trip_id,route_id,shape_id,trip_headsign,direction_id\nt1,1,x,Zoo,1\n';
  const shapes = 'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\nx,51.2,3.2,20\nx,51.1,3.1,3\n';
  const files = { ...SMALL, 'trips.txt': trips, 'shapes.txt': shapes, 'stop_times.txt': '"' };
  const { poll, latest, source } = await timetableOf(files);
  expect(await poll()).toMatchObject(accepted(5));
  expect(latest.entities()).toEqual(['agencies/A', 'routes/1', 'routes/2', 'stops/s1', 'stops/s2'].map(at));
  expect(source.schedule()).toMatchObject({ kind: 'interval', intervalMs: 21_600_000 });
  const all = await timetableOf(files, {}, TIMETABLE_PARTS);
  expect(await all.poll()).toMatchObject(accepted(7));
  expect(all.about('trips/t1')).toEqual(
    turtleTree(`<t> a gtfs:Trip ; gtfs:route ${to('routes/1')} ; gtfs:headsign "Zoo"@en ; rt:directionId 1 ;
      gtfs:shape ${to('shapes/x')} .`),
  );
  const line = '[ a geo:Geometry ; geo:asWKT "LINESTRING (3.1 51.1, 3.2 51.2)"^^geo:wktLiteral ]';
  expect(all.about('shapes/x')).toEqual(turtleTree(`<x> a gtfs:Shape ; geo:hasGeometry ${line} .`));
});

test('TT-2 a new zip publishes what changed in it, and what it lacks ends', async () => {
  const { poll, serve, latest } = await timetableOf(SMALL);
  await poll();
  expect(await poll()).toMatchObject({ kind: 'unchanged' });
  // Other bytes: another order of rows and columns, an unpublished column, zeros at the end of numbers, not packed.
  const same = 'stop_lon,stop_lat,note,stop_name,stop_id\n3.730,51.060,x,Second,s2\n3.72,51.05,y,First,s1';
  expect(await serve(await zipOf({ ...SMALL, 'stops.txt': same }, false))).toMatchObject(accepted(0));
  const other = { 'stops.txt': STOPS.replace('Second', 'Last'), 'routes.txt': ROUTES.replace('2,Two\n', '') };
  expect(await serve({ ...SMALL, ...other })).toMatchObject(accepted(1, 1));
  expect(latest.batches.at(-1)?.map(({ entity }) => entity)).toEqual([at('stops/s2'), at('routes/2')]);
});

describe('TT-3 what is not a whole timetable fails the poll, and the last state stays', () => {
  const cases: [what: string, body: (zip: Buffer) => Uint8Array | Files | Promise<Buffer>, reason: RegExp][] = [
    ['a page', () => Buffer.from('<html>Not found</html>'), /\(the zip: it is not a zip: it starts with "<html>Not/],
    ['nothing', () => Buffer.alloc(0), /\(the zip: it is not a zip: it starts with ""\)/],
    ['a zip that is cut', (zip) => zip.subarray(0, -30), /\(the zip: End of central .* is truncated\)/],
    ['a zip whose beginning is lost', (zip) => zip.subarray(40), / \(/],
    ['a zip of no timetable', () => ({ 'readme.txt': 'hello' }), /\(routes\.txt: it is missing/],
    ['no stops', () => ({ 'routes.txt': ROUTES, 'agency.txt': AGENCY }), /\(stops\.txt: it is missing/],
    ['no agencies', () => ({ 'routes.txt': ROUTES, 'stops.txt': STOPS }), /\(agency\.txt: it is missing/],
    ['an empty file', () => ({ ...SMALL, 'stops.txt': '' }), /\(stops\.txt: it is empty/],
    ['no column of ids', () => ({ ...SMALL, 'routes.txt': 'id\n1\n' }), /\(routes\.txt: it has no column route_id/],
    ['a quote that is not closed', () => ({ ...SMALL, 'routes.txt': `${ROUTES}3,"Three\n` }), /Quote Not Closed/],
    ['an endless row', () => ({ ...SMALL, 'routes.txt': `${ROUTES}3,${'x'.repeat(1_048_577)}` }), /Max Record Size/],
    [
      'a byte that changed on the way',
      async () => {
        const zip = await zipOf({ ...SMALL, 'routes.txt': ROUTES.replace('Two', 'TWO') }, false);
        zip.write('T', zip.indexOf('One'));
        return zip;
      },
      /\(routes\.txt: its checksum is wrong/,
    ],
    [
      'a file that unpacks to more than the zip says',
      async () => {
        const zip = await zipOf({ ...SMALL, 'routes.txt': `${ROUTES}${'3,Three\n'.repeat(1000)}` });
        const entry = zip.indexOf('routes.txt', zip.indexOf(Buffer.from('PK\x01\x02', 'latin1')));
        zip.writeUInt32LE(100, entry - 46 + 24);
        return zip;
      },
      /\(routes\.txt: too many bytes/,
    ],
  ];
  test.each(cases)('%s', async (_, body, reason) => {
    const { poll, serve, latest } = await timetableOf(SMALL);
    await poll();
    const event = await serve(await body(await zipOf(SMALL)));
    expect(event).toMatchObject({ kind: 'failed', error: { code: 'ERR_TIMETABLE_MALFORMED' } });
    expect(event.kind === 'failed' && event.error.message).toMatch(reason);
    expect(latest.size).toBe(5);
  });
});

test('TT-4 a row that cannot be read is told, and the others are published', async () => {
  const { poll, serve, latest, source } = await timetableOf(SMALL);
  await poll();
  const event = await serve({ ...SMALL, 'stops.txt': `stop_id,stop_name\n,Nowhere\ns1,First\n` });
  expect(event).toMatchObject({ ...accepted(1), findings: { 'unreadable-row': 1, endsWaiting: 1 } });
  expect(messages(event)).toEqual([expect.stringMatching(/^In stops\.txt, row 1 is ignored: it has no stop_id\./)]);
  expect(latest.get(at('stops/s2'))).toBeDefined();
  expect(source.health().findings).toEqual({ endsWaiting: 1, 'unreadable-row': 1 });
  const empty = { 'agency.txt': 'agency_id\n', 'stops.txt': 'stop_id\n' };
  expect(await serve({ ...empty, 'routes.txt': 'route_id,name\n,One\n,Two\n' })).toMatchObject(
    failed('ERR_RECORDS_UNREADABLE', { records: 2 }),
  );
});

test('TT-4 a shape of which a point cannot be read stays as it was', async () => {
  const { poll, serve, latest } = await timetableOf(shapesOf('x,1,1,1', 'x,2,2,2', 'y,1,1,1', 'y,2,2,2'), {}, [
    'shapes',
  ]);
  expect(await poll()).toMatchObject(accepted(2));
  const event = await serve(shapesOf('x,1,1,1', 'x,2,,2', 'x,3,3,3', 'y,1,1,1', 'y,2,2,3', 'z,1,1,1'));
  expect(event).toMatchObject({ ...accepted(1), findings: { 'unreadable-row': 2 } });
  expect(messages(event)[0]).toMatch(/the shape "x" is ignored: it has no place or sequence in row 2/);
  expect(latest.entities()).toEqual([at('shapes/x'), at('shapes/y')]);
});

describe('limits', () => {
  const files: Files = { ...SMALL, 'trips.txt': 'trip_id\nt1\nt2\n', ...shapesOf('x,1,1,1', 'x,2,2,2', 'x,3,3,3') };
  const unpacked = Object.values(files).join('').length;
  test.each([
    ['limitFiles', 5],
    ['limitUnpackedBytes', unpacked],
    ['limitRows', 5],
    ['limitTrips', 2],
    ['limitPoints', 3],
  ] as const)('%s of %d is enough, and one less is not', async (limit, most) => {
    const enough = await timetableOf(files, { [limit]: most }, TIMETABLE_PARTS);
    expect(await enough.poll()).toMatchObject(accepted(8));
    const less = await timetableOf(files, { [limit]: most - 1 }, TIMETABLE_PARTS);
    expect(await less.poll()).toMatchObject(failed('ERR_TIMETABLE_TOO_LARGE', { limit, most: most - 1 }));
  });

  test('limitShapePoints leaves a shape out, limitBytes fails the poll', async () => {
    const enough = await timetableOf(files, { limitShapePoints: 3 }, ['shapes']);
    expect(await enough.poll()).toMatchObject(accepted(1));
    const less = await timetableOf(files, { limitShapePoints: 2 }, ['shapes', 'routes']);
    expect(await less.poll()).toMatchObject({ ...accepted(2), findings: { 'unreadable-row': 1 } });
    const { length } = await zipOf(SMALL);
    expect(await (await timetableOf(SMALL, { limitBytes: length })).poll()).toMatchObject(accepted(5));
    const large = await timetableOf(SMALL, { limitBytes: length - 1 });
    expect(await large.poll()).toMatchObject(failed('ERR_FEED_TOO_LARGE'));
  });

  test('the share that may end is a half, of which trips and shapes are no part unless it is given', async () => {
    const less = { ...files, 'routes.txt': 'route_id\n', 'stops.txt': 'stop_id\n', 'trips.txt': 'trip_id\n' };
    const guarded = await timetableOf(files);
    await guarded.poll();
    expect(await guarded.serve(less)).toMatchObject(rejected('ERR_FEED_SHRUNK'));
    const other = { ...files, 'trips.txt': 'trip_id\nt3\n', ...shapesOf('y,1,1,1', 'y,2,2,2') };
    for (const [limits, event] of [
      [{}, accepted(2, 3)],
      [{ limitGoneShare: 0.5 }, rejected('ERR_FEED_SHRUNK')],
    ] as const) {
      const { poll, serve } = await timetableOf(files, limits, ['routes', 'trips', 'shapes']);
      await poll();
      expect(await serve(other)).toMatchObject(event);
    }
  });

  test.each([
    [{ limits: { limitRows: 0 } }, 'limitRows'],
    [{ limits: { limitShapePoints: 1 } }, 'limitShapePoints'],
    [{ limits: { limitFiles: 65_536 } }, 'limitFiles'],
    [{ limits: { limitGoneShare: 2 } }, 'limitGoneShare'],
    [{ include: [] }, 'include'],
    [{ include: ['stop_times' as 'stops'] }, 'include'],
    [{ intervalMs: 86_400_001 }, 'intervalMs'],
  ])('%o is refused', (options, option) => {
    expect(() => createTimetableSource({ url: 'http://a/', publicUrl, streamUrl, ...options })).toThrow(
      expect.objectContaining({ code: 'ERR_SOURCE_OPTION', details: expect.objectContaining({ option }) }),
    );
  });
});

test.each(['a b', 'a/b', '..', '.', '-', '~x', '駅', 'a|b', 'a%2Fb', '?x#y', 'é"<>'])(
  'TT-7 TT-8 a reference by the id %s is the IRI of the entity',
  async (id) => {
    const quoted = `"${id.replaceAll('"', '""')}"`;
    const named = [
      ['agency', 'agency'],
      ['routes', 'route'],
      ['stops', 'stop'],
      ['trips', 'trip'],
    ];
    const files = Object.fromEntries(named.map(([file, kind]) => [`${file}.txt`, `${kind}_id\n${quoted}\n`]));
    const shapes = shapesOf(`${quoted},1,1,1`, `${quoted},2,2,2`);
    const { poll, latest } = await timetableOf({ ...files, ...shapes }, {}, TIMETABLE_PARTS);
    await poll();
    const feed = { base: publicUrl, stream: `${publicUrl}vehicles` };
    const references = createEntityIris(feed, timetableIris('timetable', TIMETABLE_PARTS));
    const kinds = ['route', 'stop', 'agency', 'trip', 'shape'] as const;
    const iris = kinds.map((kind) => references.reference(kind, id));
    expect(latest.entities()).toEqual([...iris].sort());
    for (const iri of iris) expect(new URL(iri).href).toBe(iri);
    expect(timetableIris('timetable')).not.toHaveProperty('trip');
  },
);

test('TT-9 what a row says is written with the terms of the tables, and what is unusable is left out and counted', async () => {
  const routes = [
    'route_id,agency_id,route_short_name,route_long_name,route_desc,route_type,route_url,route_color,route_text_color',
    '1,A,T1,Ring,"Round, and ""round""",0,https://a.example/1,#e60000,FFFFFF',
    '2,A,,,,700,not a link,red,',
    '3,B,Three,,,-1,,,',
  ].join('\r\n');
  const stops = [
    'stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding',
    's,12,Platform 1,51.050,-3.72,,p,1',
    'p,,Station,91,3.7,1,,2',
    'e,,Door,,,2,p,0',
  ].join('\n');
  const { poll, about, values } = await timetableOf({ ...SMALL, 'routes.txt': routes, 'stops.txt': stops });
  const findings = { 'unusable-number': 2, 'unusable-url': 1, 'unusable-color': 1 };
  expect(await poll()).toMatchObject({ ...accepted(7), findings });
  const said: Record<string, string> = {
    'routes/1': `a gtfs:Route ; gtfs:agency ${to('agencies/A')} ; gtfs:shortName "T1" ; rdfs:label "Ring"@en ;
      gtfs:longName "Ring"@en ; dct:description "Round, and \\"round\\""@en ; gtfs:routeType gtfs:LightRail ;
      foaf:page <https://a.example/1> ; gtfs:color "e60000" ; gtfs:textColor "FFFFFF"`,
    'routes/2': `a gtfs:Route ; gtfs:agency ${to('agencies/A')} ; rt:routeType 700`,
    'routes/3': `a gtfs:Route ; gtfs:agency ${to('agencies/B')} ; rdfs:label "Three" ; gtfs:shortName "Three"`,
    'stops/s': `a gtfs:Stop ; rdfs:label "Platform 1"@en ; foaf:name "Platform 1"@en ; dct:identifier "12" ;
      wgs:lat 51.05 ; wgs:long -3.72 ; gtfs:parentStation ${to('stops/p')} ;
      gtfs:wheelchairAccessible gtfs:WheelchairAccessible ;
      geo:hasGeometry [ a geo:Geometry ; geo:asWKT "POINT (-3.72 51.05)"^^geo:wktLiteral ]`,
    'stops/p': `a gtfs:Station ; rdfs:label "Station"@en ; foaf:name "Station"@en ;
      gtfs:wheelchairAccessible gtfs:NotWheelchairAccessible`,
  };
  for (const [path, turtle] of Object.entries(said)) expect(about(path)).toEqual(turtleTree(`<x> ${turtle} .`));
  expect(values('stops/e', '#type')[0]?.value).toMatch(/#Feature$/);
  const alone = await timetableOf({ ...SMALL, 'routes.txt': routes }, {}, ['routes']);
  await alone.poll();
  expect(alone.values('routes/1', '#agency')).toEqual([]);
});

test.each<[what: string, files: Files, names: string[]]>([
  ['agency_lang', {}, ['"First"@en']],
  ['feed_lang before it', { 'feed_info.txt': 'feed_lang\nNL-be\n' }, ['"First"@nl-be']],
  ['no language of several', { 'feed_info.txt': 'feed_lang\nmul\n' }, ['"First"']],
  ['agencies of two languages', { 'agency.txt': `${AGENCY}B,Other,fr\n` }, ['"First"']],
  [
    'translations of a record and of a text',
    {
      'translations.txt': [
        'table_name,field_name,language,translation,record_id,record_sub_id,field_value',
        'stops,stop_name,fr,Premier,s1,,',
        'stops,stop_name,fr,Second,s1,,',
        'stops,stop_name,ja,最初,,,First',
        'stops,stop_name,nl,Tweede,s2,,',
        'stops,stop_name,en,The First,s1,,',
        'routes,stop_name,de,Erste,s1,,',
      ].join('\n'),
    },
    ['"First"@en', '"Premier"@fr', '"最初"@ja'],
  ],
])('TT-10 languages are those of %s', async (_, files, names) => {
  const { poll, values } = await timetableOf({ ...SMALL, ...files });
  await poll();
  const labels = values('stops/s1', '#label').map((label) => [label.value, 'language' in label && label.language]);
  expect(labels.map(([text, tag]) => `"${text}"${tag ? `@${tag}` : ''}`)).toEqual(names);
});

test('TT-11 an only agency needs no id, routes are of it, and of two rows of one id the last counts', async () => {
  const files = { 'agency.txt': 'agency_name\nUs\n', 'routes.txt': `${ROUTES}1,Uno\n`, 'stops.txt': STOPS };
  const { poll, latest, values } = await timetableOf(files);
  expect(await poll()).toMatchObject({ ...accepted(5), findings: { 'repeated-id:routes': 1 } });
  const [agency] = values('routes/1', '#agency');
  expect(agency?.value).toBe(at('agencies/default'));
  expect(values('routes/1', '#shortName').map(({ value }) => value)).toEqual(['Uno']);
  expect(latest.get(at('agencies/default'))).toBeDefined();
  const two = await timetableOf({ ...SMALL, 'agency.txt': `${AGENCY}B,Other,en\n` });
  await two.poll();
  expect(two.values('routes/1', '#agency')).toEqual([]);
});

test('a byte order mark, a folder, capitals, quotes, short rows and empty lines do no harm', async () => {
  const { poll, values } = await timetableOf({
    'gtfs/agency.txt': `\ufeff${AGENCY}`,
    'gtfs/routes.txt': '\ufeff" Route_ID", ROUTE_SHORT_NAME,extra\r\n\r\n 1 ,"a 5"" b, c",x,y\r\n2\r\n',
    'gtfs/stops.txt': 'stop_id,stop_name\ns1,The "old" stop\n',
    '__MACOSX/gtfs/._stops.txt': 'x',
    'gtfs/old/stops.txt': 'stop_id\nold\n',
  });
  expect(await poll()).toMatchObject({ ...accepted(4), findings: {} });
  expect(values('routes/1', '#shortName')[0]?.value).toBe('a 5" b, c');
  expect(values('stops/s1', '#label')[0]?.value).toBe('The "old" stop');
});

test('others have their turn while a large timetable is read', async () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => `s${index},Stop number ${index}`);
  // What is not packed comes without a wait of its own.
  const zip = await zipOf({ 'stops.txt': `stop_id,stop_name\n${rows.join('\n')}` }, false);
  const iris = createEntityIris({ base: publicUrl, stream: streamUrl }, timetableIris('timetable'));
  const limits = { limitFiles: 1, limitUnpackedBytes: zip.length, limitRows: 10_000, limitTrips: 1, limitPoints: 1 };
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const reading = { include: new Set(['stops'] as const), iris, limits: { ...limits, limitShapePoints: 2 } };
  expect((await readTimetable(zip, reading)).entities).toHaveLength(10_000);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
});
