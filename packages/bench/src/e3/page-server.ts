import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';

/** Serves the pages that show rows. */
export interface PageServer {
  /** Base of its addresses, ending in `/`. */
  readonly url: string;
  close(): Promise<void>;
}

// The pages and their scripts lie beside the sources; what they share with the consumer in Node.js is built.
const FOLDERS: Readonly<Record<string, () => URL>> = {
  pages: () => new URL('../../src/e3/pages/', import.meta.url),
  modules: () => new URL('../', import.meta.url),
  client: () => new URL('.', import.meta.resolve('@ldes-live/client/browser')),
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
};

/** Starts it on any port of loopback. */
export async function startPageServer(): Promise<PageServer> {
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://127.0.0.1/');
    const [, folder = '', path = ''] = /^\/(\w+)\/((?:\w[\w-]*\/)*\w[\w.-]*)$/.exec(pathname) ?? [];
    const [base, type] = [FOLDERS[folder], TYPES[extname(path)]];
    const content = base && type ? await readFile(new URL(path, base())).catch(() => undefined) : undefined;
    if (content === undefined)
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is nothing here.\n');
    else response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
