import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.ts';
import { type Front, type FrontOptions, startFront, withSettings } from './front-process.ts';

/** The configuration that is deployed. */
export const VARNISH_CONFIGURATION = fileURLToPath(new URL('../../../../deploy/varnish.vcl', import.meta.url));

/** The parameters that a configuration says it has to be started with, such as `http_gzip_support=off`. */
export function varnishParameters(configuration: string): readonly string[] {
  const told = configuration.split('\n').filter((line) => /^# +-p /.test(line));
  return told.flatMap((line) => [...line.matchAll(/-p (\w+=\w+)/g)].map(([, parameter]) => parameter as string));
}

/**
 * Starts Varnish before a publisher. It is one process however many its clients, so several processes are several caches, each
 * with a port of its own.
 */
export async function startVarnish(publisher: URL, { port, core, processes = 1 }: FrontOptions = {}): Promise<Front> {
  const first = await startOne(publisher, port ?? (await freePort()), core);
  const fronts = [first];
  while (fronts.length < processes) fronts.push(await startOne(publisher, await freePort(), core));
  if (fronts.length === 1) return first;
  return {
    url: first.url,
    ports: fronts.flatMap(({ ports }) => ports),
    cpuMicros: () => fronts.reduce((sum, front) => sum + front.cpuMicros(), 0),
    residentBytes: () => {
      const known = fronts.flatMap((front) => front.residentBytes() ?? []);
      return known.length < fronts.length ? undefined : known.reduce((sum, bytes) => sum + bytes, 0);
    },
    close: async () => {
      await Promise.all(fronts.map((front) => front.close()));
    },
  };
}

function startOne(publisher: URL, port: number, core: number | undefined): Promise<Front> {
  const prepare = async (folder: string) => {
    const configuration = withSettings(
      await readFile(VARNISH_CONFIGURATION, 'utf8'),
      new Map([
        ['.host = "127.0.0.1"', `.host = "${publisher.hostname}"`],
        ['.port = "3000"', `.port = "${publisher.port}"`],
      ]),
    );
    await writeFile(`${folder}/varnish.vcl`, configuration);
    const parameters = varnishParameters(configuration).flatMap((parameter) => ['-p', parameter]);
    const listen = ['-a', `127.0.0.1:${port}`, '-T', 'none', '-S', 'none'];
    // Without a jail it runs as whoever starts it, so that it may use the folder.
    const place = ['-j', 'none', '-n', `${folder}/work`, '-s', 'malloc,64m'];
    return ['-F', '-f', `${folder}/varnish.vcl`, ...listen, ...place, ...parameters];
  };
  return startFront('varnishd', port, prepare, core);
}
