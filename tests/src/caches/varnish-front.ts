import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/published-log.ts';
import { type Front, startFront, withSettings } from './front-process.ts';

/** The configuration that is deployed. */
export const VARNISH_CONFIGURATION = fileURLToPath(new URL('../../../deploy/varnish.vcl', import.meta.url));

/** Starts Varnish before a publisher, on a port or on a free one. */
export async function startVarnish(publisher: URL, atPort?: number): Promise<Front> {
  const port = atPort ?? (await freePort());
  return startFront('varnishd', port, async (folder) => {
    const configuration = withSettings(
      await readFile(VARNISH_CONFIGURATION, 'utf8'),
      new Map([
        ['.host = "127.0.0.1"', `.host = "${publisher.hostname}"`],
        ['.port = "3000"', `.port = "${publisher.port}"`],
      ]),
    );
    await writeFile(`${folder}/varnish.vcl`, configuration);
    const listen = ['-a', `127.0.0.1:${port}`, '-T', 'none', '-S', 'none'];
    // Without a jail it runs as whoever starts it, so that it may use the folder.
    const place = ['-j', 'none', '-n', `${folder}/work`, '-s', 'malloc,64m'];
    return ['-F', '-f', `${folder}/varnish.vcl`, ...listen, ...place, '-p', 'http_gzip_support=off'];
  });
}
