import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { httpServer } from '@ldes-live/test-support/net';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { liveWeb, type WebOptions, webPages } from '../src/index.ts';

const HTML = '<!doctype html>\n<head>\n<meta name="ldes-live" content="{}">\n</head>\n';
const SCRIPT = 'document.title = "Live";\n'.repeat(100);
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** A built application of one script. */
async function application(html = HTML) {
  const folder = await temporaryFolder({ 'index.html': html });
  mkdirSync(join(folder, 'assets'));
  for (const [end, content] of [
    ['', SCRIPT],
    ['.gz', gzipSync(SCRIPT)],
    ['.br', brotliCompressSync(SCRIPT)],
  ] as const) {
    writeFileSync(join(folder, `assets/app-1.js${end}`), content);
  }
  return folder;
}

/** A server of pages alone; what they have not is 404. */
async function serving(options: WebOptions = {}) {
  const folder = await application();
  const pages = webPages({ folder, ...options });
  const { url, close } = await httpServer((request, response) => {
    if (!pages(request, response)) response.writeHead(404).end();
  });
  onTestFinished(close);
  const get = (path: string, init: RequestInit = {}) => fetch(url + path.slice(1), init);
  return { folder, get };
}

test('WEB-3 the page is asked for anew, and who has it gets 304', async () => {
  const { get } = await serving();
  const page = await get('/vehicles?x');
  const etag = page.headers.get('etag') as string;
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'Accept',
  });
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  expect(await page.text()).toBe(HTML);
  for (const known of [etag, `"other", ${etag}`, '*']) {
    const again = await get('/', { headers: { 'if-none-match': known } });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
  }
  expect((await get('/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  const head = await get('/', { method: 'HEAD' });
  expect([head.headers.get('content-length'), await head.text()]).toEqual([String(HTML.length), '']);
});

test.each([
  ['br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['identity', null],
])('WEB-4 to who takes "%s" an asset is sent in %s, and is kept', async (accepted, encoding) => {
  const { get } = await serving();
  const asset = await get('/web/assets/app-1.js?x', { headers: { 'accept-encoding': accepted, range: 'bytes=0-9' } });
  expect(asset.status).toBe(200);
  expect(asset.headers.get('content-encoding')).toBe(encoding);
  expect(asset.headers.get('content-type')).toBe('text/javascript');
  expect(asset.headers.get('cache-control')).toBe(IMMUTABLE);
  expect(asset.headers.get('vary')).toBe('Accept-Encoding');
  expect(await asset.text()).toBe(SCRIPT);
});

test('WEB-2 what is no asset is not there, above their folder too', async () => {
  const { get } = await serving();
  for (const path of [
    '',
    'assets',
    'assets/',
    'assets/none.js',
    'index.html',
    'assets/%2e%2e/index.html',
    'assets/%zz',
  ]) {
    expect((await get(`/web/${path}`)).status, path).toBe(404);
  }
});

test('an asset that cannot be read any more breaks off its answer, and nothing else', async () => {
  const { folder, get } = await serving();
  rmSync(join(folder, 'assets/app-1.js.gz'));
  await expect(
    get('/web/assets/app-1.js', { headers: { 'accept-encoding': 'gzip' } }).then((answer) => answer.text()),
  ).rejects.toThrow();
  expect((await get('/')).status).toBe(200);
});

test('the page has what is configured, escaped', async () => {
  const style = "https://tiles.example/\"><script>alert(1)</script>?a=1&b='2'";
  const { get } = await serving({ style, foreign: true, publicUrl: 'https://live.example/' });
  const text = await (await get('/')).text();
  const [, content = ''] = /<meta name="ldes-live" content="([^"]*)">\n/.exec(text) ?? [];
  expect(content).not.toMatch(/[<>']|&(?!#\d+;)/);
  const unescaped = content.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
  expect(JSON.parse(unescaped)).toEqual({ style, foreign: true });
  expect(await (await (await serving({ foreign: false })).get('/')).text()).toBe(HTML);
});

const CONNECT = /connect-src ([^;]*);/;
const IMAGES = /img-src ([^;]*);/;

test.each<[WebOptions, connect: string, images: string]>([
  [{}, "'self'", "'self' data: blob:"],
  [{ publicUrl: 'https://live.example/path/' }, "'self' https://live.example", "'self' data: blob:"],
  [{ style: '/style.json' }, "'self' https:", "'self' data: blob: https:"],
  [
    { style: 'http://a.example/s.json' },
    "'self' https: http://a.example",
    "'self' data: blob: https: http://a.example",
  ],
  [{ foreign: true }, "'self' http: https:", "'self' data: blob:"],
])('WEB-6 with %j the page may connect to %s, and show images of %s', async (options, connect, images) => {
  const { get } = await serving(options);
  const policy = (await get('/')).headers.get('content-security-policy') as string;
  expect(CONNECT.exec(policy)?.[1]).toBe(connect);
  expect(IMAGES.exec(policy)?.[1]).toBe(images);
  for (const part of [
    ...["default-src 'self'", "worker-src 'self'", "style-src 'self'", "script-src 'self'"],
    ...["object-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'self'"],
  ]) {
    expect(policy.split('; ')).toContain(part);
  }
  expect(policy).not.toMatch(/unsafe/);
});

test('WEB-7 pages and assets are what they say, and send nobody their address', async () => {
  const { get } = await serving();
  for (const path of ['/', '/web/assets/app-1.js']) {
    expect(Object.fromEntries((await get(path)).headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  }
});

test('where the application is not built, no pages are made', async () => {
  const empty = await temporaryFolder();
  expect(() => webPages({ folder: empty })).toThrow(expect.objectContaining({ code: 'ERR_WEB_NOT_BUILT' }));
  const other = await application('<!doctype html>');
  expect(() => webPages({ folder: other })).toThrow(/without <meta name="ldes-live" content="{}">\. Run npm run build/);
});

test.each(['ftp://a.example/', 'http://', 'javascript:alert(1)'])('the style %s is refused', async (style) => {
  const folder = await application();
  expect(() => webPages({ folder, style })).toThrow(expect.objectContaining({ code: 'ERR_WEB_STYLE' }));
});

test('WEB-7 the plugin has the pages below its prefix, with the fields of the app around', async () => {
  const app = Fastify();
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ vary: 'Origin', 'referrer-policy': 'same-origin' });
  });
  await app.register(liveWeb, { prefix: '/viewer', folder: await application(), paths: ['/', '/map'] });
  onTestFinished(() => app.close());
  for (const path of ['/viewer/', '/viewer/map', '/viewer/status?x', '/viewer/view']) {
    const { statusCode, headers, body } = await app.inject(path);
    expect([statusCode, body], path).toEqual([200, HTML]);
    expect(headers).toMatchObject({ vary: 'Accept, Origin', 'referrer-policy': 'same-origin' });
  }
  const asset = await app.inject('/viewer/web/assets/app-1.js');
  const { vary, 'cache-control': kept } = asset.headers;
  expect([kept, vary, asset.body]).toEqual([IMMUTABLE, 'Origin, Accept-Encoding', SCRIPT]);
  expect((await app.inject({ method: 'HEAD', url: '/viewer/map' })).statusCode).toBe(200);
  for (const path of ['/viewer/web/none', '/viewer/other', '/status']) {
    expect((await app.inject(path)).statusCode, path).toBe(404);
  }
});
