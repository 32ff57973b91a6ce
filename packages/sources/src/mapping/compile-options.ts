import type { Quad } from '@rdfjs/types';
import type { Converter } from '../convert/converter.ts';
import type { LineOf } from './schema.ts';

/** Where a mapping is used, and what it needs besides. */
export interface CompileOptions {
  /** Base URL of the server, ending in `/`: `{+base}` of templates. */
  readonly publicUrl: string;
  /** URL of the stream: `{+stream}` of templates. */
  readonly streamUrl: string;
  /** Tells lines of the file that the mapping was read from, for errors. */
  readonly lineOf?: LineOf;
  /** Makes quads of a JSON-LD document; it fetches nothing. Needed by a mapping that is a JSON-LD context. */
  readonly toQuads?: (jsonLd: object) => Promise<readonly Quad[]>;
  /** What `convert` can name. @defaultValue the converters of this package */
  readonly converters?: Readonly<Record<string, Converter>>;
}

/** Options without gaps. */
export type WholeOptions = CompileOptions & Required<Pick<CompileOptions, 'converters'>>;
