import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { portInUse } from './port-in-use.js';

/**
 * Serves documents on loopback in place of a data publisher, until the process ends.
 *
 * @param {number} usualPort where it listens, unless the command line says `--port`; 0 takes any free port
 * @param {(origin: string) => Record<string, () => { type: string, body: string | Uint8Array }>} documentsAt
 *   what it serves, by path: made anew for each request, so that it can change
 */
export function serveStandIn(usualPort, documentsAt) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: String(usualPort) } } });
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`;
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const page = searchParams.has('page') ? `?page=${searchParams.get('page')}` : '';
    const document = documentsAt(origin)[pathname + page];
    if (!document) {
      response.writeHead(404).end();
      return;
    }
    const { type, body } = document();
    response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
  });
  const choose = '--port NUMBER, and write that in config.yml too';
  server.once('error', portInUse(Number(values.port), choose)).listen(Number(values.port), '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    process.stdout.write(`the stand-in serves http://localhost:${port}${Object.keys(documentsAt(''))[0]}\n`);
  });
}

/**
 * A document of JSON.
 *
 * @param {unknown} value
 */
export function json(value) {
  return { type: 'application/json', body: JSON.stringify(value) };
}
