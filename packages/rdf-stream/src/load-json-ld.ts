import { errors } from './errors.ts';

/** The part of the JSON-LD library that reads documents. */
type JsonLdLibrary = Pick<typeof import('jsonld'), 'expand'>;

let library: Promise<JsonLdLibrary> | undefined;

/**
 * Loads the library that reads JSON-LD, which is larger than all that reads the other formats: not before JSON-LD is
 * read, or expected so soon that nobody should wait for it then.
 *
 * @throws {@link StreamError} `ERR_JSONLD_UNAVAILABLE` - it could not be loaded, as by a page that is offline by now;
 * the next call tries again
 */
export async function loadJsonLd(): Promise<JsonLdLibrary> {
  library ??= import('jsonld').then((module) => module.default);
  try {
    return await library;
  } catch (cause) {
    library = undefined;
    throw errors.ERR_JSONLD_UNAVAILABLE({ problem: cause instanceof Error ? cause.message : String(cause) }, cause);
  }
}
