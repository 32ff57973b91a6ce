/*
 * Clients of the SPARQL Protocol that others have made. They are installed once, in versions that are stated in
 * `sparql-clients/`, below node_modules; the programs that install and run them have to be there.
 *
 *   SPARQL_CLIENTS[0].ask(url, { ask: 'ASK {}' }) -> { ask: { head: {}, boolean: true } }
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import process from 'node:process';
import { promisify } from 'node:util';
import { ROOT } from './commands.ts';

/** Queries by name, and their answers: SPARQL Results JSON, or N-Triples of a graph. */
type Answers = Readonly<Record<string, unknown>>;
type Queries = Readonly<Record<string, string>>;

export interface SparqlClient {
  readonly name: string;
  /** What has to be installed. */
  readonly programs: readonly string[];
  /** Whether it asks from within a query of its own, by SERVICE. */
  readonly isService: boolean;
  ask(url: string, queries: Queries): Promise<Answers>;
}

const FILES = `${ROOT}tests/e2e/support/sparql-clients/`;
const CACHE = `${ROOT}node_modules/.cache/sparql-clients/`;
const MAVEN_COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** Installs what a file names into a folder, which is there whole or not at all; what is there is taken as it is. */
async function install(file: string, into: (folder: string) => readonly [program: string, ...args: string[]]) {
  const digest = createHash('sha256').update(readFileSync(`${FILES}${file}`));
  const folder = `${CACHE}${file}-${digest.digest('hex').slice(0, 12)}`;
  if (existsSync(folder)) return folder;
  const part = `${folder}-${process.pid}`;
  const [program, ...args] = into(part);
  try {
    await promisify(execFile)(program, args, { timeout: 300_000 });
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    const { message, stdout = '' } = error as Error & { readonly stdout?: string };
    const remedy = `Does ${program} reach its package index? Without ${program} on the path, these tests are skipped`;
    throw new Error(
      `${program} could not install tests/e2e/support/sparql-clients/${file}. ${remedy}. ${message}${stdout}`,
    );
  }
  await rename(part, folder);
  return folder;
}

function python(name: string, isService: boolean): SparqlClient {
  const ask = async (url: string, queries: Queries) => {
    const packages = await install('requirements.txt', (folder) => {
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:'];
      return ['python3', ...pip, '--require-hashes', '--target', folder, '--requirement', `${FILES}requirements.txt`];
    });
    const env = { ...process.env, PYTHONPATH: packages };
    const asking = promisify(execFile)('python3', [`${FILES}ask.py`, name, url], { env });
    asking.child.stdin?.end(JSON.stringify(queries));
    return JSON.parse((await asking).stdout) as Answers;
  };
  return { name: isService ? `${name} of rdflib` : name, programs: ['python3'], isService, ask };
}

function jena(name: string, isService: boolean, args: (url: string, query: string) => readonly string[]): SparqlClient {
  const ask = async (url: string, queries: Queries) => {
    const jars = await install('pom.xml', (folder) => {
      return ['mvn', '-q', '-B', '-f', `${FILES}pom.xml`, MAVEN_COPY, `-DoutputDirectory=${folder}`];
    });
    const answers = Object.entries(queries).map(async ([key, query]) => {
      const java = ['-XX:TieredStopAtLevel=1', '-cp', `${jars}/*`, ...args(url, query)];
      const { stdout } = await promisify(execFile)('java', java);
      return [key, stdout.startsWith('{') ? JSON.parse(stdout) : stdout] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  };
  return { name, programs: ['java', 'mvn'], isService, ask };
}

const formatFor = (query: string) => `--results=${query.includes('CONSTRUCT') ? 'NT' : 'JSON'}`;

export const SPARQL_CLIENTS: readonly SparqlClient[] = [
  python('SPARQLWrapper', false),
  python('SPARQLWrapper posting forms', false),
  python('SPARQLWrapper posting queries', false),
  python('SPARQLStore', false),
  python('SERVICE', true),
  jena('QueryExecutionHTTP of Jena', false, (url, query) => ['arq.rsparql', '--service', url, formatFor(query), query]),
  jena('SERVICE of Jena', true, (_url, query) => [
    'arq.sparql',
    '--data',
    `${FILES}nothing.ttl`,
    formatFor(query),
    query,
  ]),
];
