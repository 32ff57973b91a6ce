import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

const decoders: ReadonlyMap<string, typeof gunzip> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', brotliDecompress as typeof gunzip],
  ['deflate', inflate],
]);

/**
 * Undoes a `Content-Encoding`; one that is unknown is left as it is.
 *
 * @param limitBytes - the most that may come out
 * @returns the text, or the reason why there is none
 */
export async function decodeContent(
  content: Buffer,
  encoding: string | undefined,
  limitBytes: number,
): Promise<{ readonly text: string } | { readonly failure: string }> {
  const decoder = decoders.get(encoding?.trim().toLowerCase() ?? 'identity');
  // A HEAD request and a 304 are answered with the field, and without the content.
  if (decoder === undefined || content.byteLength === 0) return { text: content.toString('utf8') };
  try {
    const decoded = await promisify<Buffer, object, Buffer>(decoder)(content, { maxOutputLength: limitBytes });
    return { text: decoded.toString('utf8') };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { failure: isTooLarge ? `it is larger than ${limitBytes} bytes` : `its content is not ${encoding}` };
  }
}
