// `node scripts/pack-suites.mjs DIR`: writes tests/suites/*.jsonl.gz, the W3C test suites that readers and writers are
// judged by, from DIR: the unpacked source distribution of rdflib 7.1.4, which ships them as files
// (`pip download --no-deps --no-binary :all: rdflib==7.1.4`). No file of a suite is changed; a line is a case:
//
// {"name":"IRI_subject","kind":"eval","base":"http://www.w3.org/2013/TurtleTests/IRI_subject.ttl","input":"<...","output":"..."}
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Parser, Store } from 'n3';

const TO = fileURLToPath(new URL('../tests/suites', import.meta.url));
const MF = 'http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#';
const QT = 'http://www.w3.org/2001/sw/DataAccess/tests/test-query#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

const [from] = process.argv.slice(2);
if (from === undefined) {
  console.error('node scripts/pack-suites.mjs DIR');
  process.exit(2);
}

/** The text of a file; one that is not UTF-8 would not survive in JSON. */
async function textOf(...path) {
  const bytes = await readFile(join(from, 'test', ...path));
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** The entries of a manifest in Turtle, with a function that gives the object of a property of each. */
async function manifestOf(folder, base) {
  const parser = new Parser({ baseIRI: `${base}manifest.ttl` });
  const store = new Store(parser.parse(await textOf(folder, 'manifest.ttl')));
  const [entries] = store.getObjects(null, `${MF}entries`, null);
  const value = (subject, property) => store.getObjects(subject, property, null)[0];
  return store.extractLists()[entries.value].map((entry) => ({
    name: entry.value.replace(/.*#/, ''),
    kind: value(entry, `${RDF}type`).value.replace(/.*#/, ''),
    value: (property) => value(entry, property),
    action: (property) => value(value(entry, `${MF}action`), property),
    actions: (property) => store.getObjects(value(entry, `${MF}action`), property, null),
  }));
}

const KINDS = [
  [/NegativeSyntax$|NegativeEval$/, 'negative'],
  [/PositiveSyntax$/, 'positive'],
  [/Eval$/, 'eval'],
];

async function syntaxSuite(folder, base) {
  const file = (node) => textOf(folder, node.value.slice(base.length));
  const cases = (await manifestOf(folder, base)).map(async ({ name, kind, value }) => {
    const [action, result] = [value(`${MF}action`), value(`${MF}result`)];
    const [, found] = KINDS.find(([pattern]) => pattern.test(kind));
    const input = await file(action);
    const output = found === 'eval' ? { output: await file(result) } : {};
    return { name, kind: found, base: action.value, input, ...output };
  });
  return await Promise.all(cases);
}

/** Cases of a query over data, `kind` the format that the output is in. */
async function resultSuite(folder, base) {
  const file = (node) => textOf(folder, node.value.slice(base.length));
  const cases = (await manifestOf(folder, base)).map(async ({ name, value, action }) => {
    const result = value(`${MF}result`);
    const [input, data] = [await file(action(`${QT}query`)), await file(action(`${QT}data`))];
    return { name, kind: posix.extname(result.value).slice(1), base, data, input, output: await file(result) };
  });
  return await Promise.all(cases);
}

/** Cases of queries over data in folders of SPARQL 1.1, `kind` the format that the output is in. */
async function querySuite(folder, names) {
  const cases = names.map(async (name) => {
    const base = `${SPARQL}${name}/`;
    const file = (node) => textOf(folder, name, node.value.slice(base.length));
    const entries = await manifestOf(join(folder, name), base);
    return entries
      .filter(({ kind }) => kind === 'QueryEvaluationTest')
      .map(async ({ name: entry, value, actions }) => {
        const [query] = actions(`${QT}query`);
        const [data] = actions(`${QT}data`);
        const result = value(`${MF}result`);
        const graphs = actions(`${QT}graphData`).map(async (node) => [node.value, await file(node)]);
        return {
          name: `${name}/${entry}`,
          kind: posix.extname(result.value).slice(1),
          base: query.value,
          ...(data && { data: await file(data), dataUrl: data.value }),
          ...(graphs.length > 0 && { graphs: Object.fromEntries(await Promise.all(graphs)) }),
          input: await file(query),
          output: await file(result),
        };
      });
  });
  return await Promise.all((await Promise.all(cases)).flat());
}

/** Cases of JSON-LD, with the documents that an input refers to by their URLs. */
async function jsonLdSuite(folder) {
  const { baseIri, sequence } = JSON.parse(await textOf(folder, 'toRdf-manifest.jsonld'));
  const pathOf = (url) => (url.startsWith(baseIri) ? join(folder, url.slice(baseIri.length)) : undefined);
  const addDocuments = async (text, url, documents) => {
    for (const [, reference] of text.matchAll(/"([^"\s]+\.jsonld)"/g)) {
      const found = URL.canParse(reference, url) ? new URL(reference, url).href : '';
      const path = pathOf(found);
      if (found in documents || path === undefined || !existsSync(join(from, 'test', path))) continue;
      documents[found] = await textOf(path);
      await addDocuments(documents[found], found, documents);
    }
    return documents;
  };
  const cases = sequence.map(async (entry) => {
    const kinds = {
      PositiveEvaluationTest: 'eval',
      PositiveSyntaxTest: 'positive',
      NegativeEvaluationTest: 'negative',
    };
    const kind = entry['@type'].map((type) => kinds[type.replace('jld:', '')]).find(Boolean);
    const { specVersion, base, ...option } = entry.option ?? {};
    const url = new URL(entry.input, baseIri).href;
    const input = await textOf(pathOf(url));
    const documents = await addDocuments(input, url, {});
    return {
      name: entry['@id'].slice(1),
      title: entry.name,
      kind,
      ...(specVersion === 'json-ld-1.0' && { only: '1.0' }),
      ...(Object.keys(option).length > 0 && { option }),
      base: base ?? url,
      input,
      ...(kind === 'eval' && { output: await textOf(folder, entry.expect) }),
      ...(kind === 'negative' && { error: entry.expectErrorCode }),
      ...(Object.keys(documents).length > 0 && { documents }),
    };
  });
  return await Promise.all(cases);
}

const W3C = join('data', 'suites', 'w3c');
const SPARQL = 'http://www.w3.org/2009/sparql/docs/tests/data-sparql11/';
const suites = {
  turtle: await syntaxSuite(join(W3C, 'turtle'), 'http://www.w3.org/2013/TurtleTests/'),
  trig: await syntaxSuite(join(W3C, 'trig'), 'http://www.w3.org/2013/TriGTests/'),
  'n-quads': await syntaxSuite(join(W3C, 'nquads'), 'http://www.w3.org/2013/NQuadsTests/'),
  'n-triples': await syntaxSuite(join(W3C, 'ntriples'), 'http://www.w3.org/2013/N-TriplesTests/'),
  'json-ld-to-rdf': await jsonLdSuite(join('jsonld', '1.1')),
  'sparql-csv-tsv': await resultSuite(join(W3C, 'sparql11', 'csv-tsv-res'), `${SPARQL}csv-tsv-res/`),
  'sparql-json': await resultSuite(join(W3C, 'sparql11', 'json-res'), `${SPARQL}json-res/`),
  'sparql-query': await querySuite(join(W3C, 'sparql11'), [
    ...['aggregates', 'bind', 'bindings', 'construct', 'exists', 'functions', 'grouping', 'negation'],
    ...['project-expression', 'property-path', 'subquery'],
  ]),
};

for (const [name, cases] of Object.entries(suites)) {
  const packed = gzipSync(cases.map((each) => `${JSON.stringify(each)}\n`).join(''), { level: 9 });
  // The name of the operating system, which says nothing of the cases; a time is not in it.
  packed[9] = 0xff;
  await writeFile(join(TO, `${name}.jsonl.gz`), packed);
  console.log(`${name}: ${cases.length} cases, ${packed.length} bytes`);
}
// The folders of two suites have it; it holds for all: tests/suites/NOTICE.
await writeFile(join(TO, 'LICENSE'), await textOf(W3C, 'turtle', 'LICENSE'));
