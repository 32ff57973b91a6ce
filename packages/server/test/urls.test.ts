import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { streamUrls } from '../src/documents/stream-urls.ts';
import { shapeUrl } from '../src/shape/member-shape.ts';
import { FORMATS, published } from './published.ts';
import { EPOCH, entityOf, fill, PUBLIC_URL, testServer, upsert } from './test-server.ts';

const STREAM = `${PUBLIC_URL}vehicles`;

// The URLs of the table under "URLs", with what stands for the names in it.
function specifiedUrls(): string[] {
  const spec = readFileSync(fileURLToPath(new URL('../../../specs/documents.md', import.meta.url)), 'utf8');
  const section = spec.slice(spec.indexOf('## URLs'), spec.indexOf('- **DOC-1**'));
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, url]) =>
    (url as string)
      .replace(/^P ?/, PUBLIC_URL)
      .replace(/^S/, STREAM)
      .replace('ns/NAME', 'ns/live')
      .replace('EPOCH', EPOCH)
      .replace('CURSOR', `${EPOCH}-0`)
      .replace(/([/-])N$/, '$10')
      .replace('-R', '-0')
      .replace(/-vK$/, '-v1')
      .replace('Z/X/Y', '1/1/0')
      .replace('...', '1'),
  );
}

test('DOC-1 the documents are at the URLs that the specification has, and at no others', async () => {
  const server = await testServer();
  await fill(server, 5, 5);
  const urls = specifiedUrls();
  const answers = await Promise.all(
    urls.map(async (url) => {
      // A push stream does not end, but its head does.
      const method = url.endsWith('/events') ? 'HEAD' : 'GET';
      const { statusCode } = await server.app.inject({ method, url: url.slice(PUBLIC_URL.length - 1) });
      return [url, statusCode];
    }),
  );
  // The open range has no revisions.
  expect(answers).toEqual(urls.map((url) => [url, /\?after=|-v1$|\/context\.jsonld$/.test(url) ? 307 : 200]));
  const { root, latest, events, pages, page, range, tail, tiles } = streamUrls(server.description);
  const own = [root, latest, events, `${pages}?after=${EPOCH}-0`, page(EPOCH, 0), entityOf(1)];
  own.push(
    range(EPOCH, 0),
    range(EPOCH, 0, 1),
    tail({ epoch: EPOCH, sequence: 0 }),
    tiles,
    `${tiles}/1/1/0`,
    `${tiles}/elsewhere`,
    shapeUrl(server.description),
  );
  expect(urls.filter((url) => url.startsWith(STREAM)).sort()).toEqual(own.sort());
});

test.each([
  '/',
  '/ns/live',
  '/vehicles',
  '/vehicles/shape',
  '/vehicles/latest',
  `/vehicles/pages/${EPOCH}/range-0`,
  `/vehicles/pages/${EPOCH}/0`,
  `/vehicles/pages/${EPOCH}/1`,
  `/vehicles/pages/${EPOCH}/after-290`,
  '/vehicles/tiles',
  '/vehicles/tiles/1/1/0',
  '/vehicles/tiles/elsewhere',
  new URL(entityOf(1)).pathname,
])('DOC-1 every IRI of %s is absolute in the five formats, below the public URL where it is ours', async (path) => {
  const server = await testServer();
  await fill(server, 300, 10);
  for (const format of FORMATS) {
    const quads = await published(server, path, format);
    const terms = quads.flatMap(({ subject, predicate, object }) => [subject, predicate, object]);
    const iris = terms.filter(({ termType }) => termType === 'NamedNode').map(({ value }) => value);
    const own = iris.filter((iri) => iri.includes('localhost'));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((iri) => !iri.startsWith(PUBLIC_URL))).toEqual([]);
  }
});

test.each(['otherlife/0', 'otherlife/7', 'otherlife/range-0', 'otherlife/range-7', 'otherlife/after-1'])(
  'DOC-1 a page, range or tail of another epoch (%s) is gone',
  async (name) => {
    const server = await testServer();
    await server.log.append([upsert(1, 1)]);
    const response = await server.get(`/vehicles/pages/${name}`);
    expect(response.statusCode).toBe(410);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.json()).toMatchObject({ code: 'ERR_CURSOR_GONE', latest: `${STREAM}/latest` });
  },
);
