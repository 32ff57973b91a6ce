/* Clients of the SPARQL Protocol that others have made ask a stream, each as it does by default. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programPath } from '@ldes-live/bench/programs';
import { keptFolder } from '@ldes-live/test-support/folders';
import { reservedPort } from '@ldes-live/test-support/net';
import { canonicalText } from '@ldes-live/test-support/rdf';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answers, type RunningProcess, startCommand } from './support/commands.ts';
import { SPARQL_CLIENTS } from './support/sparql-clients.ts';

const TOKEN = 'try-it-out';
const CONFIG = `store: memory
streams:
  rooms:
    title: Rooms
    source: { post: true, tokens: [11adc20ff57c7a9abc4c059cfdb5751f8d563718b8d7eda04a3a81a671c7a493] }
    queries: true
`;
const LABEL = 'größer, "quoted" & <b>\nin two lines\tof text \\ 🚋';
const ROOMS = `@prefix x: <http://x.example/#> .
<urn:room:1> x:label ${JSON.stringify(LABEL)}@nl ; x:level 2.5 ; x:near <urn:room:2> .
<urn:room:2> x:label "plain" ; x:level 3.5 .
`;

const PATTERN = '{ ?room x:label ?label ; x:level ?level . OPTIONAL { ?room x:near ?near } }';
const ORDER = 'ORDER BY ?level';

/** Past 2,000 characters, from where on some clients post. */
const LONG = `${PATTERN.slice(0, -1)} FILTER (STR(?label) != "${'x'.repeat(2500)}") }`;

const queriesFor = (url?: string) => {
  const where = (pattern: string) => (url === undefined ? pattern : `{ SERVICE <${url}> ${pattern} }`);
  const prefix = 'PREFIX x: <http://x.example/#>\n';
  return {
    select: `${prefix}SELECT ?label ?level ?near WHERE ${where(PATTERN)} ${ORDER}`,
    ...(url === undefined && {
      long: `${prefix}SELECT ?label ?level ?near WHERE ${LONG} ${ORDER}`,
      ask: `${prefix}ASK { ?room x:level 2.5 FILTER EXISTS { ?room x:near ?near } }`,
      construct: `${prefix}CONSTRUCT { x:it x:label ?label ; x:near ?near } WHERE ${PATTERN}`,
    }),
  };
};

const level = (value: string) => ({ type: 'literal', value, datatype: 'http://www.w3.org/2001/XMLSchema#decimal' });
const SOLUTIONS = [
  {
    label: { type: 'literal', value: LABEL, 'xml:lang': 'nl' },
    level: level('2.5'),
    near: { type: 'uri', value: 'urn:room:2' },
  },
  { label: { type: 'literal', value: 'plain' }, level: level('3.5') },
];
const GRAPH = `<http://x.example/#it> <http://x.example/#label> ${JSON.stringify(LABEL)}@nl, "plain" ;
  <http://x.example/#near> <urn:room:2> .`;

let server: RunningProcess;
let url: string;
let folder: string;
beforeAll(async () => {
  const port = await reservedPort();
  const base = `http://localhost:${port}/`;
  folder = await keptFolder();
  await writeFile(join(folder, 'config.yml'), `publicUrl: ${base}\n${CONFIG}`);
  server = startCommand(['serve', 'config.yml', '--port', String(port)], folder);
  await answers(`${base}health`, server);
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/turtle' };
  const posted = await fetch(`${base}rooms`, { method: 'POST', headers, body: ROOMS });
  expect(posted.status, await posted.text()).toBe(201);
  url = `${base}rooms/sparql`;
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

test.for(SPARQL_CLIENTS)(
  'QUERY-70, QUERY-80, QUERY-86 $name asks by its defaults, and reads what it is answered',
  { timeout: 360_000 },
  async ({ programs, isService, ask }, { skip }) => {
    for (const program of programs) skip(programPath(program) === program, `not installed: ${program}`);
    // biome-ignore lint/suspicious/noExplicitAny: what it says is what the test looks into.
    const found = (await ask(url, queriesFor(isService ? url : undefined))) as any;
    expect(found.select.results.bindings).toEqual(SOLUTIONS);
    if (isService) return;
    expect(found.long.results.bindings).toEqual(SOLUTIONS);
    expect(found.ask.boolean).toBe(true);
    expect(await canonicalText(found.construct)).toBe(await canonicalText(GRAPH, 'text/turtle'));
  },
);
