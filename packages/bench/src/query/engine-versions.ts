import { createRequire } from 'node:module';
import { versionOf } from '../version-of.ts';

/** Versions of what answers queries, by name, as the package that asks it finds them. */
export function engineVersions(): Readonly<Record<string, string>> {
  const asking = createRequire(import.meta.url).resolve('@ldes-live/query');
  const { resolve } = createRequire(asking);
  const packages = ['@comunica/query-sparql-rdfjs', 'rdf-stores', 'oxigraph'];
  return Object.fromEntries(packages.map((name) => [name, versionOf(resolve(name)) ?? 'unknown']));
}
