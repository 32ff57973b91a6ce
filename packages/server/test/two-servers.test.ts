import { blankNode, type Draft, formats, literal, namedNode, prefixes, quad, tree } from '@ldes-live/rdf-stream';
import { isGate } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { published } from './published.ts';
import { EPOCH, entityOf, PUBLIC_URL, remove, type TestServer, testServer, upsert } from './test-server.ts';

const pathOf = (url: string) => new URL(url).pathname;

function moved(number: number, round: number): Draft {
  const subject = namedNode(entityOf(number));
  const place = blankNode('place');
  const wkt = literal(`POINT (${(number % 90) / 10} ${50 + round / 100})`);
  const quads = [
    quad(subject, namedNode(`${prefixes.geo}hasGeometry`), place),
    quad(place, namedNode(`${prefixes.geo}asWKT`), wkt),
  ];
  return { ...upsert(number, round), quads } as Draft;
}

// One life of a log; whoever looks on does so between its steps.
async function live(server: TestServer, look: () => Promise<unknown>): Promise<void> {
  const { log, time } = server;
  for (let round = 1; round <= 12; round += 1) {
    await log.append(Array.from({ length: 110 }, (_, index) => moved(index + round * 20, round)));
    // In the second of the commit before, at times.
    time.nowMs += round % 3 === 0 ? 1700 : 10;
    if (round > 1) await log.append([upsert(5000 + round, round), remove(21 + round)]);
    await look();
  }
  await log.unlink({ first: 1, last: 250 });
  await look();
  await log.erase({ first: 1, last: 250 });
  await look();
  time.nowMs += 7_200_000;
  await log.unlink({ first: 251, last: 750 });
  await log.erase({ first: 251, last: 500 });
}

// Every URL of a stream: what is reached from its views, its entities, what was removed, and what is not there.
async function urlsOf(server: TestServer): Promise<string[]> {
  const urls = ['/vehicles', '/vehicles/latest', '/vehicles/tiles', '/vehicles/tiles/elsewhere'];
  for (const url of urls) {
    const targets = (await published(server, url)).filter(({ predicate }) => predicate.value === tree.node);
    for (const path of targets.map(({ object }) => pathOf(object.value))) if (!urls.includes(path)) urls.push(path);
  }
  const pages = `/vehicles/pages/${EPOCH}`;
  const others = '0 1 2 9 range-0-v1 range-1 after-0 after-499 after-500 after-777 after-9999'
    .split(' ')
    .map((name) => `${pages}/${name}`);
  const positions = [0, 400, 500, 900, 9999].map((sequence) => `/vehicles/pages?after=${EPOCH}-${sequence}`);
  return [...urls, ...others, ...positions, '/vehicles/tiles/1/0/0', '/vehicles/tiles/0/0/0'].concat(
    [21, 30, 200, 5004].map((number) => pathOf(entityOf(number))),
  );
}

test('DOC-35 two servers over copies of one log answer alike on every URL, whatever they were asked before', async () => {
  const watched = await testServer();
  const fresh = await testServer();
  // Not for the content of these answers, but for what the server keeps of them.
  const pages = `/pages/${EPOCH}`;
  const seen = ['', '/latest', '/tiles', '/tiles/1/1/0', `${pages}/range-0`, `${pages}/0`, `${pages}/after-0`];
  await live(watched, () =>
    Promise.all(
      seen.flatMap((path) =>
        ['text/turtle', 'application/ld+json'].map((accept) => watched.get(`/vehicles${path}`, { accept })),
      ),
    ),
  );
  await live(fresh, async () => {});
  expect(fresh.log.head).toEqual(watched.log.head);
  const urls = await urlsOf(watched);
  expect(urls.length).toBeGreaterThan(25);
  const statuses = new Set<number>();
  for (const url of urls) {
    for (const { mediaType } of Object.values(formats)) {
      // One format in each encoding; of the others the nights have all.
      const encodings = mediaType === 'text/turtle' || !isGate ? ['identity', 'gzip', 'br'] : ['identity'];
      for (const encoding of encodings) {
        const asked = { accept: mediaType, 'accept-encoding': encoding };
        const [one, other] = [await watched.get(url, asked), await fresh.get(url, asked)];
        const name = `${url} ${mediaType} ${encoding}`;
        expect(other.statusCode, name).toBe(one.statusCode);
        expect(other.headers, name).toEqual(one.headers);
        expect(other.rawPayload.equals(one.rawPayload), name).toBe(true);
        statuses.add(one.statusCode);
        const date = one.headers['last-modified'];
        if (date === undefined) continue;
        const dated = { ...asked, 'if-modified-since': date };
        const codes = [(await watched.get(url, dated)).statusCode, (await fresh.get(url, dated)).statusCode];
        expect(codes[1], `${name} since ${date}`).toBe(codes[0]);
      }
    }
  }
  expect([...statuses].sort()).toEqual([200, 307, 404, 410]);
  expect(watched.description.publicUrl).toBe(PUBLIC_URL);
});
