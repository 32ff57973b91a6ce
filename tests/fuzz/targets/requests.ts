/* Requests for documents: a method, a path and header fields, a line each. */
import { Published } from '../published.ts';
import { accepted, type Outcome, refused, type Session, type Target, texts, Violation, words } from '../target.ts';

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'];

async function open(): Promise<Session> {
  const published = await Published.open();
  const { epoch } = published.log.head.cursor;
  const run = async (input: Uint8Array): Promise<Outcome> => {
    const [line = '', ...fields] = Buffer.from(input).toString('latin1').split('\n');
    const [method = '', path = ''] = line.split(' ');
    // What Node.js would not let through, or is kept open.
    if (!METHODS.includes(method) || !/^\/[\x21-\x7e]*$/.test(path) || /\/events/i.test(decoded(path)))
      return refused('request');
    const headers = Object.fromEntries(
      fields.flatMap((field) => {
        const [, name, value = ''] = /^([a-z-]+): ?([\x20-\x7e\x80-\xff]*)$/.exec(field) ?? [];
        return name === undefined ? [] : [[name, value]];
      }),
    );
    const url = path.replaceAll('EPOCH', epoch);
    // What stands between us and the server cannot send it.
    if (!URL.canParse(url, 'http://localhost')) return refused('request');
    const { statusCode, body } = await published.app.inject({ method: method as 'GET', url, headers });
    if (statusCode >= 500)
      throw new Violation(`${method} ${url} is answered by ${statusCode}: ${published.lastFault()}`);
    const code = statusCode >= 400 && method !== 'HEAD' ? (JSON.parse(body) as { code: string }).code : '';
    return statusCode < 400 ? accepted(String(statusCode)) : refused(`${statusCode} ${code}`);
  };
  return { run, check: () => published.check(), close: () => published.close() };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export const requestTarget: Target = {
  name: 'requests',
  grammar: 'text',
  words: [
    ...METHODS,
    ...words(`
    /fuzz /fuzz/latest /fuzz/pages /fuzz/pages/EPOCH/0 ?after=EPOCH-0 /fuzz/tiles/0/0/0 /fuzz/entities/1 /fuzz/shape
    /health /metrics /ns/ %2e %2F %zz ? & = accept:␣ accept-encoding:␣ if-none-match:␣ if-modified-since:␣ q=0.5
    text/turtle application/ld+json;profile="a;b" gzip W/"x" * bbox=1,2,3,4 entity= type= range:␣bytes=0-1
    content-length:␣1 host:␣ expect:␣100-continue transfer-encoding:␣chunked "EPOCH-1"
  `),
  ],
  limitBytes: 16_384,
  seeds: () =>
    texts(
      'GET /fuzz/latest?entity=http://example.org/a&bbox=1,2,3,4\naccept: text/turtle;q=0.5, */*;q=0.1\naccept-encoding: gzip, br;q=0',
      'GET /fuzz/pages?after=EPOCH-0\nif-none-match: "EPOCH-1", W/"x"',
      'HEAD /fuzz/pages/EPOCH/0\nif-modified-since: Thu, 01 Jan 1970 00:00:00 GMT',
      'GET /fuzz/tiles/1/0/0\naccept: application/n-quads',
      'GET /fuzz/entities/what-others-stored\norigin: http://a',
      'OPTIONS /fuzz\naccess-control-request-method: POST',
      'GET /\naccept: text/html',
      'GET /ns/live\naccept: */*',
      'GET /health',
    ),
  open,
};
