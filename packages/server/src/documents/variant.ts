import { type Format, formats } from '@ldes-live/rdf-stream';

/** The content codings that documents are sent in. */
export type Encoding = 'identity' | 'gzip' | 'br';

/** What a strong entity tag ends in to tell the encodings of a document apart. */
const ENCODING_SUFFIXES: Readonly<Record<Encoding, string>> = { identity: '', gzip: '.gz', br: '.br' };

/** The content codings on offer. */
const ENCODINGS = Object.keys(ENCODING_SUFFIXES) as readonly Encoding[];

/** One of the ways to write a document: a format and a content coding. */
export interface Variant {
  readonly format: Format;
  readonly encoding: Encoding;
  /** From 0, without gaps. */
  readonly index: number;
  /** What its entity tag ends in. */
  readonly suffix: string;
}

/** Every variant, by its index. */
export const VARIANTS: readonly Variant[] = Object.entries(formats).flatMap(([format, { suffix }], formatIndex) =>
  ENCODINGS.map((encoding, encodingIndex) => ({
    format: format as Format,
    encoding,
    index: formatIndex * ENCODINGS.length + encodingIndex,
    suffix: `${suffix}${ENCODING_SUFFIXES[encoding]}`,
  })),
);

const FORMATS = Object.keys(formats) as readonly Format[];

/** The variant of a format and a content coding. */
export function variantOf(format: Format, encoding: Encoding): Variant {
  return VARIANTS[FORMATS.indexOf(format) * ENCODINGS.length + ENCODINGS.indexOf(encoding)] as Variant;
}
