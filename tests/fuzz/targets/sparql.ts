/* Queries: prepared on this thread, where the blocks that run are counted; and asked of the endpoint, with a thread of its own. */
import { createMemoryStore, type Log } from '@ldes-live/log';
import { logCommits, sparqlRoutes } from '@ldes-live/query/http';
import {
  type Draft,
  describeStream,
  formatCursor,
  isStreamError,
  literal,
  namedNode,
  quad,
  xsd,
} from '@ldes-live/rdf-stream';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import Fastify from 'fastify';
import { startStateThread } from '../../../packages/query/src/http/answers.ts';
import { prepareQuery } from '../../../packages/query/src/prepare/prepared-query.ts';
import { PUBLIC_URL, STREAM_URL } from '../published.ts';
import { accepted, type Outcome, refused, type Session, type Target, texts, Violation, words } from '../target.ts';

const EX = 'http://example.org/';
const LIMIT_QUERY_CHARS = 10_000;
// A query that takes longer is refused, and ends its thread, which takes long to start.
const LIMIT_EVALUATION_MS = 5000;

async function filledLog(): Promise<Log> {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'fuzz', title: 'Fuzz' });
  const log = await createMemoryStore({ clock: () => Date.parse('2026-01-01T00:00:10Z'), random: () => 0.5 }).open(
    description,
  );
  const drafts = Array.from({ length: 20 }, (_, number): Draft => {
    const entity = `${STREAM_URL}/entities/${number}`;
    const said = (predicate: string, value: string, type?: string) =>
      quad(namedNode(entity), namedNode(EX + predicate), literal(value, type));
    const quads = [said('line', `l${number % 3}`), said('delay', String(number), xsd.integer)];
    return { kind: 'upsert', entity, origin: 'feed', fingerprint: '1', quads };
  });
  await log.append(drafts);
  return log;
}

async function open(): Promise<Session> {
  const log = await filledLog();
  const app = Fastify({ forceCloseConnections: true });
  const cursor = () => formatCursor(log.head.cursor);
  const stream = {
    name: 'fuzz',
    endpoint: `${STREAM_URL}/sparql`,
    limits: { limitEvaluationMs: LIMIT_EVALUATION_MS },
    commits: (signal: AbortSignal) => logCommits(log, STREAM_URL, signal),
    cursor,
    fields: () => ({}),
  };
  await app.register(sparqlRoutes, {
    startThread: (limits, engine) => startStateThread(limits, engine, FROM_SOURCES),
    streams: () => [stream],
  });
  const ask = async (query: Uint8Array | string): Promise<Outcome> => {
    const payload = Buffer.from(query);
    const headers = { 'content-type': 'application/sparql-query', accept: '*/*' };
    const answer = await app.inject({ method: 'POST', url: '/fuzz/sparql', headers, payload });
    if (answer.statusCode === 200) return accepted(readAnswer(answer.body, String(answer.headers['content-type'])));
    const { code, detail } = answer.json<{ code: string; detail: string }>();
    // One thread has one query at a time here, so what is late is no fault of others.
    if (answer.statusCode >= 500 && code !== 'ERR_EVALUATION_TIMEOUT')
      throw new Violation(`A query is answered by ${code}: ${detail}`);
    return refused(code);
  };
  const check = async () => {
    const { code } = await ask(`SELECT (COUNT(*) AS ?n) { ?v <${EX}delay> ?d }`);
    if (code !== 'json 1') throw new Violation(`The state is no longer what it was: ${code}.`);
  };
  // Its thread takes seconds to start, which is the time of nobody's query.
  for (let attempt = 0; attempt < 5 && !(await ask('ASK {}')).isAccepted; attempt += 1);
  const close = async () => {
    await app.close();
    await log.close();
  };
  return { run: ask, check, close };
}

function readAnswer(body: string, type: string): string {
  if (!type.includes('json')) return type;
  const { results } = JSON.parse(body) as { results?: { bindings?: unknown[] } };
  return `json ${results?.bindings ? Math.min(results.bindings.length, 3) : 'other'}`;
}

async function openPreparing(): Promise<Session> {
  const run = async (input: Uint8Array): Promise<Outcome> => {
    try {
      const text = Buffer.from(input).toString();
      const { form, local, operator } = await prepareQuery(text, { limitQueryChars: LIMIT_QUERY_CHARS });
      return accepted(`${form} ${'reason' in local ? local.reason : 'local'} ${operator}`);
    } catch (error) {
      if (isStreamError(error)) return refused(error.code);
      throw error;
    }
  };
  return { run, check: async () => undefined, close: async () => undefined };
}

const COMMON = {
  grammar: 'text',
  limitBytes: LIMIT_QUERY_CHARS,
  words: [
    `<${EX}delay>`,
    ...words(`
    SELECT ASK CONSTRUCT DESCRIBE WHERE * DISTINCT REDUCED FILTER OPTIONAL UNION MINUS BIND AS VALUES UNDEF GRAPH
    SERVICE FROM NAMED GROUP␣BY HAVING ORDER␣BY DESC LIMIT OFFSET PREFIX BASE EXISTS NOT IN COUNT SUM AVG SAMPLE
    GROUP_CONCAT SEPARATOR REGEX REPLACE STRLANG IRI BNODE NOW() RAND() UUID() IF COALESCE CONCAT SUBSTR xsd:integer
    ?v ?of $x _:b [] () { } ( ) . ; , | / ^ + ? ! && || = != < >= 1 1e400 "x"@nl a INSERT␣DATA DELETE LOAD
    REGISTER␣RSTREAM [RANGE␣PT10S␣STEP␣PT5S] ON WINDOW LATERAL << >> "(a+)+$" TRIPLE #
  `),
  ],
  seeds: () =>
    texts(
      `PREFIX ex: <${EX}>\nSELECT ?v ?d WHERE { ?v ex:delay ?d ; ex:line "l1" . FILTER(?d > 3 && ?d IN (4, 7)) OPTIONAL { ?v ex:x ?x } } ORDER BY DESC(?d) LIMIT 5`,
      `SELECT ?line (AVG(?d) AS ?avg) (GROUP_CONCAT(?v; SEPARATOR=",") AS ?all) { ?v <${EX}line> ?line ; <${EX}delay> ?d } GROUP BY ?line HAVING (COUNT(*) > 2)`,
      `CONSTRUCT { ?v <${EX}late> ?b . _:x <${EX}of> ?v } WHERE { ?v <${EX}delay> ?d BIND(IF(?d > 5, "y"@en, 1.5) AS ?b) }`,
      `ASK { ?v <${EX}line>/<${EX}x>* "l0" . MINUS { ?v <${EX}delay> 0 } { SELECT ?v { ?v ?p ?o } LIMIT 3 } UNION { VALUES (?v ?o) { (<urn:a> UNDEF) } } }`,
      `DESCRIBE <${STREAM_URL}/entities/1>`,
      `SELECT (REPLACE(STR(?v), "([0-9]+)", "<$1>") AS ?t) { ?v ?p ?o FILTER REGEX(?o, "^l[01]$", "i") FILTER NOT EXISTS { ?v <${EX}delay> 3 } }`,
    ),
} as const satisfies Partial<Target>;

/** Queries, prepared and answered. */
export const sparqlTargets: readonly Target[] = [
  // Whose thread is another than that of the server, and is ended when an evaluation takes too long.
  { ...COMMON, name: 'queries', open: openPreparing, limitTurnMs: 10_000 },
  { ...COMMON, name: 'sparql', open },
];
