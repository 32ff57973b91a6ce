import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const BUNDLE = new URL('../../../packages/client/dist/browser/', import.meta.url);

/** A page over HTTP/1.1, from an origin of its own, that can load the client's browser bundle as `/client/...`. */
export interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a page whose module script is given. */
export async function pageServer(script: string): Promise<PageServer> {
  const server = createServer(async ({ url = '/' }, response) => {
    const name = /^\/client\/([\w.-]+\.js)$/.exec(url)?.[1];
    if (name === undefined) {
      const page = `<!doctype html><link rel="icon" href="data:,"><title>Page</title><script type="module">${script}</script>`;
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(await readFile(new URL(name, BUNDLE)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
