import { createMemoryStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveServer, isStreamName, liveStreams } from '../src/index.ts';
import { ask } from './ask.ts';
import { liveServer } from './push-server.ts';
import { emptyStream, fill, PUBLIC_URL, shownPages, testServer } from './test-server.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** What is answered: its status, its media type, and what the pages say. */
async function answered(port: number, path: string, headers: Record<string, string> = {}) {
  const { status, headers: fields, body } = await ask(port, path, headers);
  const type = String(fields['content-type']).split(';', 1)[0] as string;
  return [status, type, ...(type === 'text/html' ? [body] : [])];
}

test.each([
  [BROWSER, true],
  ['text/html', true],
  ['TEXT/HTML;charset=utf-8', true],
  ['text/html, */*', true],
  ['text/turtle;q=0.9, text/html', true],
  ['text/html;q=0.9, application/json;q=0.8', true],
  // What RDF readers send.
  ['text/turtle, text/html;q=0.5', false],
  ['text/html, text/turtle', false],
  ['text/html, application/json', false],
  ['text/html;q=0.5, application/ld+json;q=0.5', false],
  ['text/html;q=0, */*', false],
  ['*/*', false],
  ['text/*', false],
  ['', false],
])('WEB-1 of who sends "%s", the page is for who prefers it: %s', async (accept, isPage) => {
  const { port } = await liveServer({ pages: shownPages });
  for (const path of ['/', '/?x=1', '/vehicles', '/vehicles?x=1']) {
    const [status, type, ...page] = await answered(port, path, { accept });
    expect([status, page], path).toEqual([200, isPage ? [path.split('?', 1)[0]] : []]);
    expect(type).toMatch(isPage ? 'text/html' : /^(application\/ld\+json|text\/turtle)$/);
    // Again, since what was asked for is remembered.
    expect(await answered(port, path, { accept })).toEqual([status, type, ...page]);
  }
});

test('WEB-1 below the root of a stream, and of what is no stream, nothing is a page', async () => {
  const { port } = await liveServer({ pages: shownPages });
  for (const path of ['/vehicles/latest', '/vehicles/tiles', '/ns/live', '/vehicles/shape']) {
    expect(await answered(port, path, { accept: BROWSER }), path).toEqual([200, 'application/ld+json']);
  }
  for (const path of ['/vehicles/', '/trams', '/vehicles/status', '/status/', '/web', '/index.html']) {
    expect(await answered(port, path, { accept: BROWSER }), path).toEqual([404, 'application/problem+json']);
  }
  const head = await ask(port, '/vehicles', { accept: BROWSER, method: 'HEAD' });
  expect([head.status, head.headers['content-type'], head.body]).toEqual([200, 'text/html', '']);
});

test('WEB-2 other pages and assets are there whatever is asked for, and what they have not is 404', async () => {
  const { port } = await liveServer({ pages: shownPages });
  for (const path of ['/status', '/view', '/web/assets/a.js', '/web/x?y']) {
    for (const accept of ['text/turtle', BROWSER]) {
      expect(await answered(port, path, { accept }), path).toEqual([200, 'text/html', path.split('?', 1)[0]]);
    }
  }
  expect(await answered(port, '/web/none/x')).toEqual([404, 'application/problem+json']);
  expect(await answered(port, '/status', { method: 'DELETE' })).toEqual([404, 'application/problem+json']);
});

test('WEB-3 the documents at the URLs of pages say that they vary with Accept', async () => {
  const { port } = await liveServer({ pages: shownPages });
  for (const path of ['/', '/vehicles']) {
    expect((await ask(port, path, { accept: 'text/turtle' })).headers.vary).toBe('Accept, Accept-Encoding');
    expect((await ask(port, path, { accept: BROWSER })).headers.vary).toBe('Accept');
  }
});

test('WEB-7 in an app around, its guards run, its fields count, and pages have routes', async () => {
  const app = Fastify();
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-around': 'app', 'content-length': '5' });
    if (request.headers['x-key'] === 'wrong') return reply.code(403).send('');
  });
  const stream = await emptyStream();
  await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams: [stream], pages: shownPages });
  onTestFinished(() => app.close());
  for (const url of ['/', '/vehicles', '/status', '/view', '/web/assets/a.js']) {
    const { statusCode, headers, body } = await app.inject({ url, headers: { accept: BROWSER } });
    expect([statusCode, headers['x-around'], headers['content-type'], body]).toEqual([200, 'app', 'text/html', url]);
    expect((await app.inject({ url, headers: { accept: BROWSER, 'x-key': 'wrong' } })).statusCode).toBe(403);
  }
});

test('WEB-8 without pages the catalogue and the roots are RDF for everybody, and other pages are not there', async () => {
  const server = await testServer();
  await fill(server, 1, 1);
  const { port } = await liveServer();
  for (const path of ['/', '/vehicles']) {
    expect(await answered(port, path, { accept: BROWSER }), path).toEqual([200, 'application/ld+json']);
    expect((await answered(port, path, { accept: 'text/html' }))[0], path).toBe(406);
  }
  for (const path of ['/status', '/view', '/web/assets/a.js']) {
    expect(await answered(port, path, { accept: BROWSER }), path).toEqual([404, 'application/problem+json']);
    expect((await server.get(path, { accept: BROWSER })).json().error, path).toBe('Not Found');
  }
});

test('no stream is called as what is of the pages', () => {
  for (const name of ['status', 'view', 'web']) expect(isStreamName(name)).toBe(false);
  expect(['statuses', 'viewer', 'webs'].every(isStreamName)).toBe(true);
});

test.each(['live', 'web', 'status'])(
  'WEB-12 below a path /%s of the public URL, whether a proxy leaves it or takes it away',
  async (base) => {
    const publicUrl = `${PUBLIC_URL}${base}/`;
    const description = describeStream({ publicUrl, name: 'vehicles' });
    const log = await createMemoryStore({ clock: () => 0, random: () => 0.5 }).open(description);
    const server = await createLiveServer({ publicUrl, streams: [{ description, log }], pages: shownPages });
    onTestFinished(() => server.close());
    const port = await server.listen({ host: '127.0.0.1', port: 0 });
    for (const before of [`/${base}`, '']) {
      for (const path of ['/', '/vehicles', '/status', '/view', '/web/assets/a.js']) {
        expect(await answered(port, before + path, { accept: BROWSER }), before + path).toEqual([
          200,
          'text/html',
          path,
        ]);
      }
      expect(await answered(port, `${before}/vehicles/latest`, { accept: BROWSER })).toEqual([
        200,
        'application/ld+json',
      ]);
    }
  },
);

test('a page that fails is answered as a fault of the server', async () => {
  const pages = () => {
    throw new Error('of the pages');
  };
  const { port } = await liveServer({ pages, logger: { level: 'silent' } });
  for (const path of ['/', '/status']) {
    expect(await answered(port, path, { accept: BROWSER })).toEqual([500, 'application/problem+json']);
  }
});
