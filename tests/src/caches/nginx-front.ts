import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/published-log.ts';
import { type Front, startFront, withSettings } from './front-process.ts';

const CONFIGURATION = fileURLToPath(new URL('../../../deploy/nginx.conf', import.meta.url));

/** `deploy/nginx.conf` with other addresses and folders; all else is as it is deployed. */
export async function nginxConfiguration(folder: string, port: number, publisher: URL): Promise<string> {
  const gates = await Promise.all(
    ['8101', '8102', '8103', '8104', '8105'].map(async (gate) => [gate, await freePort()] as const),
  );
  await mkdir(`${folder}/ldes-live`, { recursive: true });
  return withSettings(
    await readFile(CONFIGURATION, 'utf8'),
    new Map([
      ['listen 80 ', `listen 127.0.0.1:${port} `],
      ['127.0.0.1:3000', publisher.host],
      ...gates.map(([gate, free]) => [`127.0.0.1:${gate}`, `127.0.0.1:${free}`] as const),
      ['/var/cache/nginx/', `${folder}/`],
      ['/run/nginx.pid', `${folder}/nginx.pid`],
      ['/var/log/nginx/error.log', 'stderr'],
    ]),
  );
}

/** Starts nginx before a publisher, on a port or on a free one. */
export async function startNginx(publisher: URL, atPort?: number): Promise<Front> {
  const port = atPort ?? (await freePort());
  return startFront('nginx', port, async (folder) => {
    await writeFile(`${folder}/nginx.conf`, await nginxConfiguration(folder, port, publisher));
    return ['-p', folder, '-e', 'stderr', '-c', `${folder}/nginx.conf`, '-g', 'daemon off;'];
  });
}
