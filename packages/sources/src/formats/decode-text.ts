import { errors } from '../errors.ts';

// What windows-1252 has at 0x80 to 0x9F; where it has nothing, the control character stays, as browsers do.
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * The text of a document. A byte order mark decides, then the label, else it is UTF-8.
 *
 * @param label - of the WHATWG Encoding Standard, by which ISO-8859-1 is windows-1252
 * @throws {@link StreamError} `ERR_DOCUMENT_CHARSET` - an unknown label, or bytes that are not of the encoding
 * @see specs/mapping-values.md MAP-73
 * @see https://encoding.spec.whatwg.org/#decode
 */
export function decodeText(bytes: Uint8Array, label: string | undefined): string {
  const charset = markedEncoding(bytes) ?? label ?? 'utf-8';
  const decoder = decoderOf(charset);
  // Node 20 decodes windows-1252 as ISO-8859-1 proper, without the euro sign.
  if (decoder.encoding === 'windows-1252') return windows1252(bytes);
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw errors.ERR_DOCUMENT_CHARSET(
      { charset, reason: `bytes that are not of it, near byte ${faultOffset(bytes, charset)}` },
      cause,
    );
  }
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch (cause) {
    throw errors.ERR_DOCUMENT_CHARSET({ charset, reason: 'a name that no encoding has' }, cause);
  }
}

function windows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, (high) => HIGH[high.charCodeAt(0) - 0x80] as string);
}

/** The length of the longest beginning that decodes. */
function faultOffset(bytes: Uint8Array, charset: string): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(bytes.subarray(0, middle), charset)) good = middle;
    else bad = middle;
  }
  return good;
}

function decodes(bytes: Uint8Array, charset: string): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
