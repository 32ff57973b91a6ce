/* The worst requests of readers within the limits of documents, push and queries. */
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { authorization, type Product, serve, type Taken, tokens } from './product.ts';
import type { Worst } from './worst.ts';

const KIB = 1024;

/** A server with a stream of so many members, each of which says so much. */
async function filledServer(members: number, characters: number, config: object = {}): Promise<Product> {
  const server = await serve({
    streams: { things: { source: { post: true, tokens }, updates: 'unpredictable', queries: true } },
    ...config,
  });
  const value = 'x'.repeat(characters);
  const PART = 500;
  for (let from = 0; from < members; from += PART) {
    const body = Array.from({ length: Math.min(PART, members - from) }, (_, index) => {
      const number = from + index;
      return `<http://a.example/${number}> <http://a.example/says> "${number}${value}" ; <http://a.example/number> ${number} .`;
    });
    await post(server, body.join('\n'));
  }
  return server;
}

async function post({ url }: Product, body: string): Promise<void> {
  const headers = { authorization, 'content-type': 'text/turtle' };
  const response = await fetch(`${url}things`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(await response.text());
}

function withServer(make: () => Promise<Product>, run: (server: Product) => Promise<unknown>): () => Promise<Taken> {
  return async () => {
    const server = await make();
    try {
      return await server.measured(() => run(server));
    } finally {
      await server.close();
    }
  };
}

/** Sends a request head on a connection of its own, and does not read. */
async function connected({ port }: Product, path: string, accept = '*/*'): Promise<Socket> {
  const socket = createConnection(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: ${accept}\r\naccept-encoding: identity\r\n\r\n`);
  return socket;
}

async function answer(url: string, status: number, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (response.status !== status)
    throw new Error(`${url.slice(0, 100)} answered ${response.status}: ${text.slice(0, 300)}`);
  return text;
}

const times = (count: number, run: (index: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

/** A query of any length: a URL has its own limit. */
async function postQuery({ url }: Product, query: string): Promise<void> {
  const headers = { 'content-type': 'application/sparql-query' };
  const response = await fetch(`${url}things/sparql`, { method: 'POST', headers, body: query });
  const text = await response.text();
  // It may take longer than it may.
  if (![200, 503, 504].includes(response.status))
    throw new Error(`A query was answered by ${response.status}: ${text.slice(0, 300)}`);
}

const queryUrl = ({ url }: Product, query: string) => `${url}things/sparql?query=${encodeURIComponent(query)}`;

/** Queries whose answers have 8 MB, and differ. */
const largeQuery = (number: number) => `SELECT ?s ?v ?w {
  ?s <http://a.example/says> ?v BIND(CONCAT(SUBSTR(?v, 1, 250), "${number}") AS ?w)
} LIMIT 10000`;

async function askUnread(server: Product, numbers: readonly number[], accept: string): Promise<Socket[]> {
  const paths = numbers.map((number) => queryUrl(server, largeQuery(number)).slice(server.url.length - 1));
  return (await Promise.all(paths.map((path) => connected(server, path, accept)))) as Socket[];
}

/** As many readers as there are, which read nothing: so much may wait for each. */
async function slowReaders(server: Product, readers: number, commits: number): Promise<void> {
  const sockets = await times(readers, () => connected(server, '/things/events'));
  await sleep(500);
  for (let turn = 0; turn < commits; turn += 1) {
    await post(server, `<http://a.example/1> <http://a.example/says> "${turn}${'y'.repeat(500 * KIB)}" .`);
  }
  await sleep(500);
  for (const socket of sockets as Socket[]) socket.destroy();
}

export const worstReaders = {
  'latest state': {
    title: 'the newest state of 20,000 entities in five formats and three encodings at once',
    run: withServer(
      () => filledServer(20_000, 400),
      ({ url }) =>
        Promise.all(
          [
            'application/ld+json',
            'text/turtle',
            'application/trig',
            'application/n-quads',
            'application/n-triples',
          ].flatMap((accept) =>
            ['identity', 'gzip', 'br'].map((encoding) =>
              answer(`${url}things/latest`, 200, { accept, 'accept-encoding': encoding }),
            ),
          ),
        ),
    ),
  },
  'filters of a reader': {
    title: '1,000 readers with 100 values of a filter each',
    run: withServer(
      () => filledServer(1000, 100),
      async (server) => {
        const query = Array.from({ length: 100 }, (_, index) => `entity=http://a.example/${index}`).join('&');
        const sockets = await times(1000, () => connected(server, `/things/events?${query}`));
        await sleep(1000);
        await post(server, '<http://a.example/1> <http://a.example/says> "more" .');
        await sleep(1000);
        for (const socket of sockets as Socket[]) socket.destroy();
      },
    ),
  },
  'long URL': {
    title: '1,000 requests with a URL of 8,192 bytes',
    run: withServer(
      () => filledServer(1, 10),
      async ({ url }) => times(1000, () => answer(`${url}things/latest?${'x'.repeat(8192 - 16)}`, 200)),
    ),
  },
  'readers that come back': {
    title: '300 readers that ask for 20 MiB of history and read nothing',
    run: withServer(
      () => filledServer(20_000, 1000),
      async (server) => {
        const head = (await fetch(`${server.url}things/latest`, { method: 'HEAD' })).headers.get('ldes-cursor');
        const start = head?.replace(/[0-9]+$/, '0');
        const sockets = await times(300, () => connected(server, `/things/events?from=${start}`));
        await sleep(10_000);
        for (const socket of sockets as Socket[]) socket.destroy();
      },
    ),
  },
  'slow readers': {
    title: '1,000 readers that read nothing, and 20 MiB of events',
    run: withServer(
      () => filledServer(1, 10),
      (server) => slowReaders(server, 1000, 40),
    ),
  },
  'open connections': {
    title: '5,000 readers that read everything',
    run: withServer(
      () => filledServer(100, 100),
      async (server) => {
        const sockets = (await times(5000, () => connected(server, '/things/events'))) as Socket[];
        for (const socket of sockets) socket.resume();
        await sleep(2000);
        await post(server, '<http://a.example/1> <http://a.example/says> "more" .');
        await sleep(2000);
        for (const socket of sockets) socket.destroy();
      },
    ),
  },
  'long query': {
    title: '2 queries of 10,000 characters',
    run: withServer(
      () => filledServer(100, 100),
      async (server) =>
        times(2, (number) => {
          const open = `SELECT * { ?s0 <http://a.example/number> ${number} `;
          const optional = 'OPTIONAL{?s0 <http://a.example/says> ?v}';
          const query = `${open}${optional.repeat(Math.floor((10_000 - open.length - 2) / optional.length))}}`;
          return postQuery(server, query);
        }),
    ),
  },
  'large answer': {
    title: '4 answers of 10,000 solutions, 8 MB, read by nobody',
    run: withServer(
      () => filledServer(10_000, 400),
      async (server) => {
        const sockets = await askUnread(server, [1, 2, 3, 4], '*/*');
        // One after the other, and this is the last.
        await answer(queryUrl(server, largeQuery(5)), 200);
        for (const socket of sockets) socket.destroy();
      },
    ),
  },
  'live queries': {
    title: '2 live queries of 10,000 solutions, 8 MB, read by nobody',
    run: withServer(
      () => filledServer(10_000, 400),
      async (server) => {
        const sockets = await askUnread(server, [1, 2], 'text/event-stream');
        await sleep(20_000);
        for (const socket of sockets) {
          let text = '';
          for await (const part of socket.setEncoding('utf8')) {
            text += part;
            if (text.includes('event: ')) break;
          }
          if (!text.includes('event: snapshot')) throw new Error(text.slice(0, 500));
        }
      },
    ),
  },
  'long evaluation': {
    title: 'a query that is ended after 10 s',
    run: withServer(
      () => filledServer(10_000, 10),
      (server) =>
        answer(
          queryUrl(server, 'SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?c < ?f && ?f < ?i) }'),
          504,
        ),
    ),
  },
  'large state of a query': {
    title: 'a count of 250,000 quads',
    run: withServer(
      // Each version of an entity says of which it is one, and since when.
      () => filledServer(50_000, 10),
      async (server) => {
        const found = await answer(queryUrl(server, 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }'), 200);
        if (!found.includes('"250000"')) throw new Error(found);
      },
    ),
  },
  'memory of a query': {
    title: 'a query that sorts all pairs of 10,000 solutions',
    run: withServer(
      () => filledServer(10_000, 400),
      async (server) => {
        const query = 'SELECT ?v ?w { ?s <http://a.example/says> ?v . ?t <http://a.example/says> ?w } ORDER BY ?w ?v';
        await fetch(queryUrl(server, query)).then((response) => response.text());
      },
    ),
  },
} satisfies Record<string, Worst>;
