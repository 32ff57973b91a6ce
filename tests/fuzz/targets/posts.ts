/* Posts of all six content types, and of what is said to be gzip: each a target. */
import { gzipSync } from 'node:zlib';
import { hashToken } from '@ldes-live/server';
import { PUBLIC_URL, Published } from '../published.ts';
import { accepted, type Outcome, refused, type Session, type Target, texts, Violation, words } from '../target.ts';

const TOKEN = 'fuzz-token';

const EX = 'http://example.org/';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const WORDS = [
  EX,
  `<${EX}a>`,
  `^^<${XSD}integer>`,
  `<${XSD}dateTime>`,
  `"2026-01-01T00:00:00Z"^^<${XSD}dateTime>`,
  `<${PUBLIC_URL}fuzz/entities/1>`,
  ...words(`
    _:b _: "x" "x"@nl @en- ^^ <http://purl.org/dc/terms/isVersionOf> <http://www.w3.org/ns/prov#generatedAtTime>
    <https://www.w3.org/ns/activitystreams#Delete> <urn:x> <relative> . ; , #
    <http://www.opengis.net/ont/geosparql#wktLiteral> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>
  `),
];
const TURTLE_WORDS = [
  ...WORDS,
  '\\u0041',
  'ex:a\\,b',
  ...words(`
    @prefix PREFIX @base BASE ex: ex:a : a [ ] ( ) [] () """ ''' << >> {| |} true 1.5e3 -.5 1. %20 GRAPH { } <= = ^
    ~
  `),
];
const JSON_LD_WORDS = [
  `${EX}a`,
  `${EX}p`,
  `${XSD}double`,
  '',
  ...words(`
    @context @id @type @value @language @graph @list @set @reverse @index @base @vocab @container @nest @none
    @prefix @propagate @protected @version @import @included @json @direction @any 1.1 _:b ex:a ex p
    http://purl.org/dc/terms/isVersionOf https://contexts.example/c a/b
  `),
];

const PREFIXES = `@prefix ex: <${EX}> .\n@prefix dct: <http://purl.org/dc/terms/> .\n@prefix xsd: <${XSD}> .\n`;
const LINES = `<${EX}a> <${EX}p> "1" .\n<${EX}a> <${EX}q> _:x .\n_:x <${EX}r> "51.05"^^<${XSD}double> .\n<${EX}b> <${EX}p> "caf\\u00e9"@fr .\n`;
const VERSION = `<${EX}a/1> <http://purl.org/dc/terms/isVersionOf> <${EX}a> .\n<${EX}a/1> <${EX}p> "2" .\n<${EX}a/2> <http://purl.org/dc/terms/isVersionOf> <${EX}a> .\n`;
const TURTLE = [
  `${PREFIXES}ex:a a ex:T ; ex:p 1, 2.5, true, "x"@en ; ex:q [ ex:r (1 2 3) ] .\nex:b ex:p """long\n"text\\u0041""" .\n`,
  `${PREFIXES}ex:a-1 dct:isVersionOf ex:a ; ex:at "2026-01-01T00:00:00Z"^^xsd:dateTime .\n_:b ex:p 1 .\nex:c ex:q _:b .\n`,
];
const CONTEXT = `"@context":{"@vocab":"${EX}","id":"@id","at":{"@type":"${XSD}dateTime"}}`;
const NODE = `"@id":"${EX}a","p":[1,2.5,true,"x",{"@value":"y","@language":"en"}],"q":{"r":{"@list":[1,2]}}`;
const JSON_LD = [
  `{${CONTEXT},"@graph":[{${NODE}},{"id":"${EX}b","at":"2026-01-01T00:00:00Z"}]}`,
  `[{"@id":"${EX}a/1","http://purl.org/dc/terms/isVersionOf":[{"@id":"${EX}a"}],"${EX}p":[{"@value":"x"}]}]`,
  `{"@context":["https://contexts.example/c",{"p":{"@id":"${EX}p","@container":"@language"}}],"@id":"${EX}c","p":{"nl":"een","en":"one"}}`,
  `{"@context":{"@vocab":"${EX}","sub":{"@context":{"q":"${EX}z"}},"rev":{"@reverse":"${EX}of"}},"@id":"${EX}d","sub":{"q":1},"rev":{"p":"1"}}`,
];

function postTarget(
  name: string,
  type: string,
  grammar: Target['grammar'],
  words: readonly string[],
  seeds: readonly Uint8Array[],
): Target {
  return {
    name,
    grammar,
    words,
    seeds: () => seeds,
    limitBytes: 262_144,
    open: () => openPosts(type, name === 'post-gzip'),
  };
}

/** @param isGzip - inputs are bytes of gzip; else they are bodies, now and then sent as gzip */
async function openPosts(type: string, isGzip: boolean): Promise<Session> {
  const contexts = {
    'https://contexts.example/c': { '@context': { '@vocab': EX, T: { '@id': `${EX}T`, '@type': '@id' } } },
  };
  const published = await Published.open({ tokenHashes: [hashToken(TOKEN)], contexts });
  const authorization = `Bearer ${TOKEN}`;
  const run = async (input: Uint8Array): Promise<Outcome> => {
    const body = Buffer.from(input);
    const isCoded = isGzip || body.length % 16 === 15;
    const headers = { authorization, 'content-type': type, ...(isCoded && { 'content-encoding': 'gzip' }) };
    const payload = isCoded && !isGzip ? gzipSync(body) : body;
    const answer = await published.app.inject({ method: 'POST', url: '/fuzz', headers, payload });
    if (answer.statusCode >= 500)
      throw new Violation(`A post is answered by ${answer.statusCode}: ${published.lastFault()}`);
    if (answer.statusCode < 300) return accepted(String(answer.statusCode));
    const { code, problem = '', limit = '' } = answer.json<Record<string, string>>();
    return refused(`${code} ${problem.replace(/["<].*|\d+/gs, '')} ${limit}`);
  };
  return { run, check: () => published.check(), close: () => published.close() };
}

/** Posts, by their content type. */
export const postTargets: readonly Target[] = [
  postTarget('post-turtle', 'text/turtle', 'text', TURTLE_WORDS, texts(...TURTLE, LINES)),
  postTarget(
    'post-trig',
    'application/trig',
    'text',
    TURTLE_WORDS,
    texts(...TURTLE, `${PREFIXES}ex:a { ex:a ex:p ex:b . _:x ex:q 1 }\nGRAPH ex:c { ex:c a ex:T }\n`),
  ),
  postTarget('post-n-triples', 'application/n-triples', 'text', WORDS, texts(LINES, VERSION)),
  postTarget(
    'post-n-quads',
    'application/n-quads',
    'text',
    WORDS,
    texts(LINES, VERSION, `<${EX}a> <${EX}p> "1" <${EX}a> .\n_:b <${EX}p> "1" <${EX}a> .\n`),
  ),
  postTarget('post-json-ld', 'application/ld+json', 'json', JSON_LD_WORDS, texts(...JSON_LD)),
  postTarget(
    'post-ndjson',
    'application/x-ndjson',
    'json',
    JSON_LD_WORDS,
    texts(...JSON_LD, `${JSON_LD.join('\n')}\n`),
  ),
  postTarget('post-gzip', 'application/n-quads', 'text', WORDS, [gzipSync(LINES), gzipSync(VERSION.repeat(100))]),
];
