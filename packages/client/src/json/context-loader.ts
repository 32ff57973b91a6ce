import { errors } from '../errors.ts';

/** Loads the JSON-LD document, a context, at a URL. */
export type ContextLoader = (url: string) => Promise<{ readonly document: object | string }>;

interface LoadedContext {
  readonly contextUrl?: never;
  readonly documentUrl: string;
  readonly document: object;
}

/** The loader in the form that `jsonld` asks for; without one, all that is remote is refused. */
export function loadInto(loader: ContextLoader | undefined): (url: string) => Promise<LoadedContext> {
  return async (url) => {
    if (!loader) throw errors.ERR_CONTEXT_REFUSED({ url });
    const { document } = await loader(url);
    return { documentUrl: url, document: typeof document === 'string' ? JSON.parse(document) : document };
  };
}
