// Serves the page, and the client's browser bundle: node examples/browser/serve.js [PORT]
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import process from 'node:process';
import { portInUse } from '../port-in-use.js';

const bundle = import.meta.resolve('@ldes-live/client/browser');
if (!existsSync(new URL(bundle))) throw new Error('The client is not bundled for browsers yet: npm run build.');
const port = Number(process.argv[2] ?? 8080);
const server = createServer(({ url = '/' }, response) => {
  // The bundle is several files: parts of it are loaded when they are needed.
  const part = /^\/client\/([\w-]+\.js)$/.exec(url)?.[1];
  const file = part ? new URL(part, bundle) : new URL('index.html', import.meta.url);
  response.writeHead(existsSync(file) ? 200 : 404, { 'content-type': part ? 'text/javascript' : 'text/html' });
  response.end(existsSync(file) && readFileSync(file));
});
server.once('error', portInUse(port, 'an argument, such as 8180'));
server.listen(port, 'localhost', () => {
  const address = server.address();
  if (address && typeof address === 'object')
    process.stdout.write(`The page is at http://localhost:${address.port}/\n`);
});
