import { blankNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { vehicleFeed } from '../support/feed-server.ts';
import { publishedLog } from '../support/published-log.ts';
import { isImmutable, type Quad, type ReadDocument, readDocument, readTree } from '../support/read-tree.ts';
import { liveWorld } from './support/live-world.ts';
import { shapeValidator } from './support/shape-validator.ts';

const HOUR_MS = 3_600_000;

// Which shapes a document of the time view has to hold to, by where it stands.
function timeShapes(document: ReadDocument, stream: string, retains: boolean): string[] {
  const { url } = document;
  if (url === stream)
    return ['tree.ttl#RootNode', retains ? 'ldes.ttl#RetainingRoot' : 'ldes.ttl#Root', 'ldes.ttl#MutableNode'];
  const kind = /\/range-/.test(url) ? 'ldes.ttl#InnerNode' : 'ldes.ttl#Page';
  return [kind, isImmutable(document) ? 'ldes.ttl#SealedNode' : 'ldes.ttl#MutableNode'];
}

const findings = await shapeValidator();

// Nothing is found in any document of a view, nor in all of them as one tree.
async function expectValid(
  documents: readonly ReadDocument[],
  shapesOf: (document: ReadDocument) => string[],
): Promise<void> {
  for (const document of documents) {
    expect(document.status, document.url).toBe(200);
    expect(document.quads.length, document.url).toBeGreaterThan(0);
    expect(await findings(document.quads, [[document.url, shapesOf(document)]]), document.url).toEqual([]);
  }
  // Blank nodes are named by document: those of two documents are not the same.
  const whole = documents.flatMap(({ quads }, index) => quads.map((quad) => apart(quad, index)));
  const below = documents.slice(1).map(({ url }) => [url, ['tree.ttl#ReachedNode']] as const);
  expect(await findings(whole, below)).toEqual([]);
}

function apart({ subject, predicate, object, graph }: Quad, index: number): Quad {
  const move = <T extends { readonly termType: string; readonly value: string }>(term: T) =>
    term.termType === 'BlankNode' ? blankNode(`d${index}-${term.value}`) : term;
  return quad(
    move(subject) as typeof subject,
    predicate as Parameters<typeof quad>[1],
    move(object) as typeof object,
    graph,
  );
}

// A feed in which vehicles move, one and another is missing, and one has no position.
function movingFeed(minute: number): Uint8Array {
  const seconds = 1_700_000_000 + minute * 60;
  const vehicles = Array.from({ length: 320 }, (_, index) => ({
    trip: { trip_id: `trip ${index}`, route_id: `r${index % 7}` },
    ...(index > 0 && {
      position: { latitude: 50.8 + index / 900, longitude: 3.2 + ((index * 7 + minute) % 90) / 50 },
    }),
    timestamp: seconds,
  }));
  return vehicleFeed(
    seconds,
    vehicles.map((vehicle, index) => (index % 40 === minute + 1 ? undefined : vehicle)),
  );
}

const latestShapes = (): string[] => ['tree.ttl#RootNode', 'ldes.ttl#LatestView', 'ldes.ttl#MutableNode'];

async function expectStreamValid(url: string, pages: { sealed: number; open: number }, retains = false): Promise<void> {
  const documents = await readTree(url);
  const held = documents.filter((document) => /\/pages\/[^/]+\/\d+$/.test(document.url));
  expect([held.filter(isImmutable).length, held.filter((page) => !isImmutable(page)).length]).toEqual([
    pages.sealed,
    pages.open,
  ]);
  await expectValid(documents, (document) => timeShapes(document, url, retains));
  await expectValid([await readDocument(`${url}/latest`)], latestShapes);
}

test('DOC-2 DOC-5 DOC-6 a feed of vehicles with positions is valid LDES and TREE, view by view', async () => {
  const world = await liveWorld({ intervalMs: 1000 });
  for (const minute of [0, 1]) expect(await world.poll(movingFeed(minute))).toMatchObject({ kind: 'accepted' });
  const { sequence } = world.log.head.cursor;
  expect(sequence).toBeGreaterThan(600);
  await expectStreamValid(world.url, { sealed: Math.floor(sequence / 250), open: 1 });
  const tiles = await readTree(`${world.url}/tiles`);
  expect(tiles.length).toBeGreaterThan(4);
  await expectValid(tiles, (tile) => (tile.url === `${world.url}/tiles` ? latestShapes() : ['ldes.ttl#MutableNode']));
  await world.close();
});

test('DOC-2 DOC-5 DOC-6 a stream that a program makes is valid LDES and TREE, empty and with a full page', async () => {
  const published = await publishedLog({ clock: Date.now });
  await expectStreamValid(published.url, { sealed: 0, open: 1 });
  for (let commit = 0; commit < 10; commit += 1) await published.publish(40);
  await expectStreamValid(published.url, { sealed: 1, open: 1 });
  await published.close();
});

test('DOC-2 DOC-5 DOC-6 a stream with a retention policy and deletes is valid LDES and TREE', async () => {
  const retention = {
    startingFrom: '2026-01-01T00:00:00.000Z',
    fullLogMs: HOUR_MS,
    versionAmount: 2,
    versionMs: 24 * HOUR_MS,
    versionDeleteMs: HOUR_MS,
  };
  const published = await publishedLog({ clock: Date.now, retention });
  for (let commit = 0; commit < 13; commit += 1) await published.publish(50);
  const gone = Array.from({ length: 20 }, (_, index) => `${published.url}/entities/${index}`);
  await published.log.append(gone.map((entity) => ({ kind: 'delete' as const, entity, origin: 'test' })));
  await expectStreamValid(published.url, { sealed: 2, open: 1 }, true);
  await published.close();
});
