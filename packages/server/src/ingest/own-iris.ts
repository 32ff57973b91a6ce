import { RESERVED_NAMES } from '../options.ts';

/** Tells which IRIs are the server's own: what is said of them it says itself. */
export type OwnIris = (iri: string) => boolean;

/** Below a stream: of entities, of which anything may be said. */
const OF_ENTITIES = /^\/entities\/./s;

/**
 * Makes the test for the IRIs of a server's documents, of what is described in these, and of its vocabularies.
 *
 * @param publicUrl - base URL of the server, ending in `/`
 * @param names - of all streams that it publishes
 * @see specs/ingest.md ING-53
 */
export function ownIris(publicUrl: string, names: Iterable<string>): OwnIris {
  // Below `id` there are entities, too.
  const taken = new Set([...RESERVED_NAMES.filter((name) => name !== 'id'), ...names]);
  return (iri) => {
    if (!iri.startsWith(publicUrl)) return false;
    const [, name = '', rest = ''] = /^([^/?#]*)(.*)$/s.exec(iri.slice(publicUrl.length)) as RegExpExecArray;
    // Without a name it is the catalogue, or stands in it.
    return name === '' ? !rest.startsWith('/') : taken.has(name) && !OF_ENTITIES.test(rest);
  };
}
