import { errors } from '../errors.ts';
import type { HttpReader } from './http-reader.ts';

/** How many JSON-LD contexts are loaded for one stream: it has a few. */
export const CONTEXTS_LIMIT = 32;

const CONTEXT_TYPES = 'application/ld+json, application/json;q=0.9';

/**
 * Loads JSON-LD contexts: each once, however many documents refer to it.
 *
 * @see specs/any-ldes.md READ-34
 */
export class ContextLoader {
  readonly #http: Pick<HttpReader, 'get' | 'refund'>;
  readonly #loaded = new Map<string, object>();

  constructor(http: Pick<HttpReader, 'get' | 'refund'>) {
    this.#http = http;
  }

  /**
   * Loads a context.
   *
   * @throws {@link StreamError} `ERR_CONTEXT_MALFORMED` - it is no JSON object
   * @throws {@link StreamError} `ERR_CONTEXTS_TOO_MANY` - it is one more than {@link CONTEXTS_LIMIT}; those of
   * `HttpReader.get`
   */
  async load(url: string, signal: AbortSignal): Promise<object> {
    const known = this.#loaded.get(url);
    if (known) return known;
    if (this.#loaded.size >= CONTEXTS_LIMIT) throw errors.ERR_CONTEXTS_TOO_MANY({ url, limit: CONTEXTS_LIMIT });
    const response = await this.#http.get(url, { signal, accept: CONTEXT_TYPES });
    const context = jsonObject(response.text);
    if (!context) throw errors.ERR_CONTEXT_MALFORMED({ url });
    this.#loaded.set(url, context);
    this.#http.refund(response.receipt);
    return context;
  }
}

function jsonObject(text: string): object | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}
