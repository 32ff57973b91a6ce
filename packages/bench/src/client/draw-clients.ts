import type { ClientSpec } from './client-messages.ts';

/**
 * Clients for streams in equal parts, each part with MALs over the whole range: as many in each stretch of the same ratio,
 * and where in it by chance.
 *
 * @param urls - of the streams, each with the group that its clients are counted under
 * @param random - numbers in [0, 1)
 */
export function drawClients(
  urls: readonly { readonly group: string; readonly url: string }[],
  clients: number,
  malSeconds: { readonly least: number; readonly most: number },
  random: () => number,
): ClientSpec[] {
  const { least, most } = malSeconds;
  return urls.flatMap(({ group, url }, stream) => {
    const count = Math.floor((clients * (stream + 1)) / urls.length) - Math.floor((clients * stream) / urls.length);
    return Array.from({ length: count }, (_, stretch) => ({
      group,
      url,
      malSeconds: least * (most / least) ** ((stretch + random()) / count),
    }));
  });
}
