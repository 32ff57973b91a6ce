// Serves the page and the client's browser bundle.
//
//   node examples/browser/serve.js [--port 8080]
import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { port: { type: 'string', default: '8080' } } });

const bundle = import.meta.resolve('@ldes-live/client/browser');
if (!existsSync(new URL(bundle))) {
  process.stderr.write('The client is not bundled for browsers yet: npm run build.\n');
  process.exit(1);
}
// The bundle is several files: parts of it are loaded when they are needed.
const FOLDERS = {
  '/': fileURLToPath(new URL('.', import.meta.url)),
  '/client/': fileURLToPath(new URL('.', bundle)),
};
/** @type {Record<string, string>} */
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.map': 'application/json' };

/**
 * The file that a path of the page stands for: one of those in the two folders, and nothing below or above them.
 *
 * @param {string} path
 */
function fileOf(path) {
  const [, folder, name] = /^(\/|\/client\/)([\w.-]*)$/.exec(path) ?? [];
  if (folder !== '/' && folder !== '/client/') return undefined;
  return join(FOLDERS[folder], name || 'index.html');
}

const server = createServer(async ({ url = '/' }, response) => {
  const file = fileOf(new URL(url, 'http://localhost').pathname);
  const type = TYPES[extname(file ?? '')];
  const isThere = file !== undefined && (await stat(file).catch(() => undefined))?.isFile();
  if (!isThere || type === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There is nothing here.\n');
    return;
  }
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' });
  createReadStream(file).pipe(response);
});

server.on('error', (error) => {
  process.stderr.write(
    `The page cannot be served at port ${values.port} (${error.message}): give another by --port.\n`,
  );
  process.exitCode = 1;
});
server.listen(Number(values.port), 'localhost', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : values.port;
  process.stdout.write(`The page is at http://localhost:${port}/?stream=http://localhost:3000/vehicles\n`);
});
