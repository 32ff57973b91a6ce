/* What the shapes of documents find: one document for each thing that they forbid, and nothing in what is sound. */
import { parseQuads, prefixes } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { shapeQuads, shapeValidator } from './support/shape-validator.ts';

const URL = 'http://example.org/node';
const PREFIXES = { ...prefixes, ex: 'http://example.org/', hydra: 'http://www.w3.org/ns/hydra/core#' };
const HEAD = Object.entries(PREFIXES).map(([prefix, iri]) => `PREFIX ${prefix}: <${iri}>\n`);

const STREAM = '<#stream> a ldes:EventStream ; tree:view <> ; ldes:timestampPath ex:at .';
const TWICE = 'ex:a, ex:b';
const relation = (said: string, type = 'tree:Relation') =>
  `<> tree:relation _:r . _:r a ${type} ; tree:node <other> ; ${said} .`;
const within = (said: string) => relation(said, 'tree:GeospatiallyContainsRelation');
const policy = (said: string) => `${STREAM} <> ldes:retentionPolicy <#p> . <#p> a ldes:RetentionPolicy ; ${said} .`;
const ofStream = (said: string) => `<#stream> a ldes:EventStream ; ${said} .`;
const SQUARE = '"POLYGON ((3 50, 4 50, 4 51, 3 51, 3 50))"';

/** A line each: Turtle of a document that holds to every shape, and the shapes that it is tried by. */
const SOUND = `
${STREAM} <> a tree:Node ; tree:relation _:r . _:r a tree:Relation ; tree:node <other> . | tree.ttl#RootNode ldes.ttl#Root ldes.ttl#InnerNode ldes.ttl#MutableNode
${policy('ldes:versionAmount 1 ; ldes:versionDeleteDuration "PT0S"^^xsd:duration')} | ldes.ttl#RetainingRoot ldes.ttl#LatestView
${policy('ldes:startingFrom "2026-01-01T00:00:00+01:00"^^xsd:dateTime ; ldes:fullLogDuration "P1D"^^xsd:duration')}
<> a tree:Node ; ldes:immutable true . <#stream> tree:member ex:m . | ldes.ttl#Page ldes.ttl#SealedNode
<parent> tree:relation _:r . _:r a tree:Relation ; tree:node <> . | tree.ttl#ReachedNode
${within(`tree:path geo:asWKT ; tree:value ${SQUARE}^^geo:wktLiteral`)}
`;

const PATHS = [
  ...['timestampPath', 'sequencePath', 'versionOfPath', 'versionTimestampPath', 'versionSequencePath'],
  ...['versionCreatePath', 'versionUpdatePath', 'versionDeletePath', 'transactionPath', 'transactionFinalizedPath'],
];
const OBJECTS = ['versionCreateObject', 'versionUpdateObject', 'versionDeleteObject', 'transactionFinalizedObject'];

/** A line each: the beginning of the message that has to name the fault, Turtle, and the shapes that it is tried by. */
const FAULTS = `
TREE, Definitions: a node is named | _:n a tree:Node .
TREE, Initialization: exactly one collection | <> a tree:Node . | tree.ttl#RootNode
TREE, Initialization: exactly one collection | ex:a tree:view <> . ex:b tree:view <> . | tree.ttl#RootNode
TREE, Definitions: no relation leads to the root | ${STREAM} <other> tree:relation [ a tree:Relation ; tree:node <> ] .
TREE, Definitions: the relations to a node | <> a tree:Node . | tree.ttl#ReachedNode
TREE, Definitions: the relations to a node | <p> tree:relation [ a tree:Relation ; tree:node <> ] . <q> tree:relation [ a tree:Relation ; tree:node <> ] . | tree.ttl#ReachedNode
TREE, Traversing the search tree; LDES Server Primer | <> tree:relation [ a tree:Relation ] .
TREE, Traversing the search tree; LDES Server Primer | ${relation('tree:node <third>')}
TREE, Traversing the search tree; LDES Server Primer | <> tree:relation [ a tree:Relation ; tree:node "other" ] .
TREE, Definitions: a relation stands | <> tree:relation [ a tree:Relation ; tree:node <> ] .
TREE, Definitions: a relation stands | <> tree:relation _:r . _:r a tree:Relation ; tree:node <other> ; tree:remainingItems 1 . <third> tree:relation _:r .
TREE, Pruning branches: the path | ${relation(`tree:path ${TWICE}`)}
TREE, Pruning branches: the path | ${relation('tree:path "at"')}
TREE, Pruning branches: a relation compares | ${relation('tree:value 1, 2')}
TREE, Traversing the search tree: tree:remainingItems | ${relation('tree:remainingItems "many"')}
TREE, Traversing the search tree: tree:remainingItems | ${relation('tree:remainingItems -1')}
TREE, Pruning branches: a relation should have one type | <> tree:relation [ tree:node <other> ] .
LDES Server Primer, Relations: a relation that compares has exactly one tree:path | ${relation('tree:value 1', 'tree:EqualToRelation')}
LDES Server Primer, Relations: a relation that compares has exactly one tree:value | ${relation('tree:path ex:at', 'tree:PrefixRelation')}
TREE, Comparing strings, IRIs and time literals | ${relation('tree:path ex:at ; tree:value "2026-01-01T00:00:00"^^xsd:dateTime', 'tree:GreaterThanRelation')}
TREE, Pruning branches: part of a text | ${relation('tree:path ex:at ; tree:value ex:a', 'tree:SubstringRelation')}
LDES Server Primer, Paginating: to an upper bound | ${relation('tree:path ex:at ; tree:value 1', 'tree:LessThanRelation')}
TREE, Comparing geospatial features: a geospatial relation has exactly one tree:path | ${within('tree:value "POLYGON ((3 50, 4 50, 4 51, 3 50))"^^geo:wktLiteral')}
TREE, Comparing geospatial features: a geospatial relation has exactly one tree:value | ${within('tree:path geo:asWKT ; tree:value "POLYGON ((3 50, 4 50, 4 51, 3 50))"')}
TREE, Comparing geospatial features: a geospatial relation has exactly one tree:value | ${within('tree:path geo:asWKT ; tree:value "POINT (3 50)"^^geo:wktLiteral')}
TREE, Initialization: a collection is named | _:c a tree:Collection .
TREE, The member extraction algorithm | <#c> tree:member "m" .
TREE, Initialization: a view is named | <#c> tree:view _:v .
TREE, Overview: a collection has at most one shape | <#c> a tree:Collection ; tree:shape ${TWICE} .
TREE, Search forms: a search form has exactly one | <> tree:search [ hydra:mapping [] ] .
TREE, Search forms: a search form says | <> tree:search [ hydra:template "{x}" ] .
LDES, Synchronization algorithm: an event stream | _:s a ldes:EventStream .
Server Primer, Members | <#stream> tree:member _:m . _:m a ex:Thing .
LDES, Synchronization algorithm; vocabulary: ldes:pollingInterval | <#stream> ldes:pollingInterval "PT5S"^^xsd:duration .
LDES, Synchronization algorithm; vocabulary: ldes:pollingInterval | <#stream> ldes:pollingInterval 1.5 .
Server Primer, For the Root Node: at most one tree:shape | ${ofStream(`tree:shape ${TWICE}`)}
Server Primer, Entry Points | <#c> tree:view <> . | ldes.ttl#Root
Server Primer, For the Root Node: at most one tree:viewDescription | ${STREAM} <> tree:viewDescription ${TWICE} . | ldes.ttl#Root
Server Primer, For the Root Node: at most one retention policy | ${STREAM} <> ldes:retentionPolicy <#p> ; tree:viewDescription <#v> . <#v> ldes:retentionPolicy <#q> . | ldes.ttl#Root
Server Primer, Paginating: the stream should say | ${ofStream('tree:view <>')} | ldes.ttl#Root
LDES, Retention policies: without a policy | ${ofStream('tree:view <> ; ldes:timestampPath ex:at')} | ldes.ttl#RetainingRoot
LDES, Retention policies: the latest state keeps one version | ${policy('ldes:versionAmount 2')} | ldes.ttl#LatestView
LDES, Retention policies: the latest state keeps no deletes | ${policy('ldes:versionAmount 1')} | ldes.ttl#LatestView
Server Primer, Root Node and Subsequent Nodes: an inner node | <> a tree:Node . | ldes.ttl#InnerNode
Server Primer, Root Node and Subsequent Nodes: a document below the root | ex:a tree:view <> . ex:b tree:view <> . | ldes.ttl#InnerNode
Server Primer, Root Node and Subsequent Nodes: a document below the root | ex:a tree:view <> . ex:b tree:view <> . | ldes.ttl#Page
TREE, Definitions: a page is a node | <#stream> tree:member ex:m . | ldes.ttl#Page
LDES, State management: a document that never changes | <> a tree:Node . | ldes.ttl#SealedNode
Server Primer, Root Node and Subsequent Nodes: a document that may change | <> ldes:immutable true . | ldes.ttl#MutableNode
Vocabulary: ldes:immutable is one boolean | <> ldes:immutable "true" .
Server Primer, Root Node and Subsequent Nodes: ldes:immutable false | <> ldes:immutable false .
Server Primer, For the Retention policies: at most one | <> ldes:retentionPolicy [ ldes:versionAmount 1 ] .
Server Primer, For the Retention policies: at most one | <> ldes:retentionPolicy ${TWICE} .
LDES, Retention policies: a policy of which | <> ldes:retentionPolicy <#p> .
LDES, Retention policies: ldes:startingFrom | ${policy('ldes:startingFrom "2026-01-01T00:00:00"^^xsd:dateTime')}
LDES, Retention policies: ldes:startingFrom | ${policy('ldes:startingFrom "2026-01-01"^^xsd:date')}
Server Primer, For the Retention policies: ldes:fullLogDuration | ${policy('ldes:fullLogDuration 3600')}
Server Primer, Compacting your log: ldes:versionAmount | ${policy('ldes:versionAmount 0')}
Server Primer, Compacting your log: ldes:versionAmount | ${policy('ldes:versionAmount 1, 2')}
Server Primer, For the Retention policies: ldes:versionDuration | ${policy('ldes:versionAmount 1 ; ldes:versionDuration "P1D"')}
Server Primer, For the Retention policies: ldes:versionDeleteDuration | ${policy('ldes:versionDeleteDuration 0')}
Vocabulary, versionDuration | ${policy('ldes:versionDuration "P1D"^^xsd:duration')}
LDES, Retention policies: the older classes | ${policy('a ldes:LatestVersionSubset ; ldes:amount 1')}
Vocabulary, EventSource | <#stream> a ldes:EventStream ; tree:view <> . <> tree:viewDescription <#v> . <#v> a ldes:EventSource .
LDES, Versions and transactions: what creates | ${ofStream('ldes:versionDeleteObject ex:Delete')}
LDES, Versions and transactions: who states | ${ofStream('ldes:transactionFinalizedPath ex:done')}
${PATHS.flatMap((name) =>
  [TWICE, '"path"'].map(
    (said) => `Server Primer, For the Root Node: ldes:${name} is | ${ofStream(`ldes:${name} ${said}`)}\n`,
  ),
).join('')}
${OBJECTS.map((name) => `Server Primer, For the Root Node: at most one ldes:${name} | ${ofStream(`ldes:${name} ${TWICE}`)}\n`).join('')}
`;

const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' | '));
const validator = await shapeValidator();
const findings = async (turtle = '', shapes = '') =>
  validator(await parseQuads(HEAD.join('') + turtle, 'turtle', URL), [[URL, shapes.split(' ').filter(Boolean)]]);

test.each(rowsOf(SOUND))('nothing is found in a document that is as it should be: %s', async (turtle, shapes) => {
  expect(await findings(turtle, shapes)).toEqual([]);
});

test.each(rowsOf(FAULTS))('"%s ..." is found in %s', async (message = '', turtle = '', shapes = '') => {
  const found = await findings(turtle, shapes);
  expect(found.filter((finding) => finding.message.startsWith(message))).not.toEqual([]);
});

test('everything that a shape forbids has a fault planted for it, and says which requirement it is of', async () => {
  const said = (await shapeQuads()).filter(({ predicate }) => predicate.value === 'http://www.w3.org/ns/shacl#message');
  const messages = said.map(({ object }) => object.value);
  const planted = rowsOf(FAULTS).map(([message]) => message as string);
  expect(messages.filter((message) => !planted.some((begin) => message.startsWith(begin)))).toEqual([]);
  expect(messages.length).toBeGreaterThan(50);
  for (const message of messages) {
    expect(message).toMatch(/^(?:TREE|LDES|LDES Server Primer|Server Primer|Vocabulary)[,:]/);
  }
});
