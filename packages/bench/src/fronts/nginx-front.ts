import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.ts';
import { type Front, type FrontOptions, startFront, withSettings } from './front-process.ts';

const CONFIGURATION = fileURLToPath(new URL('../../../../deploy/nginx.conf', import.meta.url));

/**
 * `deploy/nginx.conf` with other addresses and folders; all else is as it is deployed.
 *
 * @param processes - workers, among which the kernel shares connections evenly; absent: as deployed
 */
export async function nginxConfiguration(
  folder: string,
  port: number,
  publisher: URL,
  processes?: number,
): Promise<string> {
  await mkdir(`${folder}/ldes-live`, { recursive: true });
  return withSettings(
    await readFile(CONFIGURATION, 'utf8'),
    new Map([
      ['listen 80 ', `listen 127.0.0.1:${port} ${(processes ?? 1) > 1 ? 'reuseport ' : ''}`],
      ['127.0.0.1:3000', publisher.host],
      ['/var/cache/nginx/', `${folder}/`],
      ['/run/nginx.pid', `${folder}/nginx.pid`],
      ['/var/log/nginx/error.log', 'stderr'],
      ...(processes === undefined
        ? []
        : ([
            ['worker_processes auto;', `worker_processes ${processes};`],
            // As many as one process may have here.
            ['worker_connections 32768;', 'worker_connections 19900;'],
          ] as const)),
    ]),
  );
}

/** Starts nginx before a publisher, as it is deployed. */
export async function startNginx(publisher: URL, { port: atPort, core, processes }: FrontOptions = {}): Promise<Front> {
  const port = atPort ?? (await freePort());
  return startFront(
    'nginx',
    port,
    async (folder) => {
      await writeFile(`${folder}/nginx.conf`, await nginxConfiguration(folder, port, publisher, processes));
      return ['-p', folder, '-e', 'stderr', '-c', `${folder}/nginx.conf`, '-g', 'daemon off;'];
    },
    core,
  );
}
