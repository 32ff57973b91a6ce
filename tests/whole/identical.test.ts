import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { type Log, openLmdbStore } from '@ldes-live/log';
import {
  blankNode,
  type Draft,
  describeStream,
  extentOfPage,
  formatOf,
  formats,
  literal,
  namedNode,
  parseQuads,
  quad,
  type StreamDescription,
} from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { isGate } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';

const PUBLIC_URL = 'http://live.example.org/';
const HOUR_MS = 3_600_000;
const GEO = 'http://www.opengis.net/ont/geosparql#';
const ENTITIES = 120;

// It keeps all, so that the servers remove nothing beside what is removed here.
const descriptions = [
  describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles', retention: { fullLogMs: 24 * HOUR_MS } }),
  describeStream({ publicUrl: PUBLIC_URL, name: 'alerts' }),
];
const ACCEPTED = [...Object.values(formats).map(({ mediaType }) => mediaType), 'text/html'];
const CODINGS = ['identity', 'gzip', 'br'];

// Of the moment and of the connection; everything else follows from the log, the clock and the schedule.
const OF_THE_MOMENT = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

// A vehicle somewhere about Ghent, whose geometry is a blank node.
function vehicle({ url }: StreamDescription, number: number, round: number): Draft {
  const entity = `${url}/entities/${number}`;
  const geometry = blankNode('geometry');
  const point = `POINT (${3.6 + (number % 11) / 50 + round / 1000} ${51 + (number % 7) / 50})`;
  const quads = [
    quad(namedNode(entity), namedNode('http://example.org/label'), literal(`Línea "${number}"\n${round}`)),
    quad(namedNode(entity), namedNode(`${GEO}hasGeometry`), geometry),
    quad(geometry, namedNode(`${GEO}asWKT`), literal(point, `${GEO}wktLiteral`)),
  ];
  return { kind: 'upsert', entity, origin: 'test', fingerprint: String(round), quads };
}

async function fill(log: Log, description: StreamDescription, rounds: number, tick: () => void): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    tick();
    await log.append(Array.from({ length: ENTITIES }, (_, number) => vehicle(description, number, round)));
  }
  tick();
  const ended = `${description.url}/entities/${ENTITIES - 1}`;
  await log.append([{ kind: 'delete', entity: ended, origin: 'test' }]);
}

// Of the first stream: page 0 is gone, page 1 answers as an empty one, page 2 is unlinked.
async function removePages(log: Log, pass: (durationMs: number) => void): Promise<void> {
  await log.unlink(extentOfPage(0));
  await log.erase(extentOfPage(0));
  pass(2 * HOUR_MS);
  await log.unlink({ first: extentOfPage(1).first, last: extentOfPage(2).last });
  await log.erase(extentOfPage(1));
}

/** What came of a request: nothing added or undone on the way. */
interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
}
type Get = (path: string, headers?: Readonly<Record<string, string>>) => Promise<RawAnswer>;

/** The streams in an LMDB folder, published by the real server, which is read through its port. */
async function openFolder(path: string, clock: () => number) {
  const random = () => 0.5;
  const store = await openLmdbStore({ path, clock, random });
  const logs = await Promise.all(descriptions.map((description) => store.open(description)));
  const schedule = () => ({ kind: 'interval', intervalMs: 5000, nextMs: clock() + 2500 }) as const;
  const streams = descriptions.map((description, index) => {
    return { description, log: logs[index] as Log, schedule };
  });
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams, clock, random });
  const port = await server.listen({ host: 'localhost', port: 0 });
  const get: Get = async (target, headers = {}) => {
    const sent = request({ host: 'localhost', port, path: target, headers });
    sent.end();
    const [response] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { status: response.statusCode, headers: response.headers, content: Buffer.concat(chunks) };
  };
  const close = async () => {
    await server.close();
    await store.close();
  };
  return { logs, get, close };
}

/** Every path that is reached from the catalogue, by IRIs, `Link` and redirects; push endpoints, which do not end, apart. */
async function reachablePaths(get: Get, seeds: readonly string[]): Promise<string[]> {
  const found = new Set(['/', ...seeds]);
  // What is added while it is gone through comes at its end.
  for (const path of found) {
    const { headers, content } = await get(path, { accept: formats.nquads.mediaType });
    for (const iri of await namedIris(headers, content)) {
      if (!iri.startsWith(PUBLIC_URL) || /\/events(#|$)/.test(iri)) continue;
      found.add(`/${iri.slice(PUBLIC_URL.length).replace(/#.*$/, '')}`);
    }
  }
  return [...found];
}

async function namedIris(headers: RawAnswer['headers'], content: Buffer): Promise<string[]> {
  const linked = [...(headers.link ?? '').matchAll(/<([^>]+)>/g)].map(([, iri]) => iri as string);
  const format = formatOf(headers['content-type'] ?? '');
  const quads = format ? await parseQuads(content.toString(), format, PUBLIC_URL) : [];
  const terms = quads.flatMap(({ subject, predicate, object }) => [subject, predicate, object]);
  const said = terms.filter(({ termType }) => termType === 'NamedNode').map(({ value }) => value);
  return [...linked, headers.location ?? '', ...said];
}

function comparable({ status, headers, content }: RawAnswer): unknown {
  const fields = Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.has(name));
  return { status, headers: Object.fromEntries(fields), content: content.toString('base64') };
}

test('DOC-35 two servers over copies of one log answer alike on every URL, byte by byte', {
  timeout: 300_000,
}, async () => {
  const folder = await temporaryFolder();
  const [path, copy] = [join(folder, 'one'), join(folder, 'other')];
  let nowMs = Date.parse('2026-01-01T00:00:00.123Z');
  const pass = (durationMs: number) => {
    nowMs += durationMs;
  };
  const open = (at: string) => openFolder(at, () => nowMs);

  const maker = await open(path);
  for (const [index, description] of descriptions.entries()) {
    await fill(maker.logs[index] as Log, description, index === 0 ? 12 : 3, () => pass(5000));
  }
  await removePages(maker.logs[0] as Log, pass);
  // One copy has documents on its shelf that the other has not made yet.
  const { epoch } = (maker.logs[0] as Log).head.cursor;
  const seeds = [0, 1, 2, 3, 'range-0', 'range-0-v1', 'range-0-v3', 'range-1'].map(
    (name) => `/vehicles/pages/${epoch}/${name}`,
  );
  const after = [0, 250, 600, 750, 1000, 1441].map((sequence) => `/vehicles/pages?after=${epoch}-${sequence}`);
  const known = [...seeds, ...after, '/nonsense'];
  const paths = await reachablePaths(maker.get, known);
  await maker.close();
  await cp(path, copy, { recursive: true });

  const [one, other] = await Promise.all([open(path), open(copy)]);
  const statuses = new Map<number, number>();
  // One of a kind, and those whose pages are gone, erased, unlinked or there; at night all of them.
  const kinds = new Map(
    paths.toReversed().map((target) => [target.replaceAll(epoch, '').replaceAll(/\d+/g, '#'), target]),
  );
  const asked = isGate ? [...new Set([...known, ...kinds.values()])] : paths;
  for (const target of asked) {
    for (const accept of ACCEPTED) {
      for (const coding of CODINGS) {
        const answers = await Promise.all(
          [one, other].map(({ get }) => get(target, { accept, 'accept-encoding': coding })),
        );
        const [said, expected] = answers.map(comparable);
        expect(said, `${target} as ${accept}, ${coding}`).toEqual(expected);
        const { status } = answers[0] as RawAnswer;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
  }
  // All kinds of answers were among them.
  expect([...statuses.keys()].sort()).toEqual([200, 307, 400, 404, 406, 410]);
  expect(paths.filter((target) => /\/pages\/[^/]+\/\d+$/.test(target)).length).toBeGreaterThanOrEqual(6);
  expect(paths.filter((target) => target.includes('/tiles')).length).toBeGreaterThan(1);
  await Promise.all([one.close(), other.close()]);
});
