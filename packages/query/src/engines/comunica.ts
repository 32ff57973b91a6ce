import type { EngineStore, QueryEngine } from '../query-engine.ts';
import { ComunicaStore } from './comunica-store.ts';
import { queryFailed } from './failures.ts';
import { mendActors } from './mend-actors.ts';
import { mendUnions } from './mend-unions.ts';
import { watchOperations } from './watch-operations.ts';

/** The part of the package that is used. */
type ComunicaModule = Pick<typeof import('@comunica/query-sparql-rdfjs'), 'QueryEngine'>;

/**
 * The default engine: Comunica over a store of `rdf-stores`, with all of SPARQL 1.1 and what it has of SPARQL 1.2. It works
 * in small steps, so that an evaluation lets other work of the thread go on and can be stopped.
 *
 * It is loaded when the first store is opened, about half a second, and once for all stores of what is returned: share it.
 *
 * @example
 * ```ts
 * const engine = comunica();
 * for await (const result of liveQuery(commits, 'SELECT * { ?s ?p ?o }', { engine })) show(result);
 * ```
 * @see specs/query.md QUERY-20
 */
export function comunica(): QueryEngine {
  return comunicaFrom(() => import('@comunica/query-sparql-rdfjs'));
}

/** As `comunica`, with the package from elsewhere. */
export function comunicaFrom(load: () => Promise<ComunicaModule>): QueryEngine {
  let loading: Promise<() => EngineStore> | undefined;
  return {
    name: 'comunica',
    open: async () => {
      loading ??= opener(load);
      return (await loading)();
    },
  };
}

async function opener(load: () => Promise<ComunicaModule>): Promise<() => EngineStore> {
  const [{ QueryEngine: Comunica }, stores] = await Promise.all([load(), import('rdf-stores')]);
  const engine = new Comunica();
  watchOperations(engine);
  const missing = mendActors(engine);
  if (missing)
    throw queryFailed('comunica', new Error(`it is not the version known here: it has no ${missing} to mend`));
  // Its class of unions is known by what it makes: there may be several copies of the library.
  const unions = await engine.queryBindings('SELECT * { {} UNION {} }', { sources: [stores.RdfStore.createDefault()] });
  mendUnions(unions);
  unions.destroy();
  return () => new ComunicaStore(engine, stores);
}
