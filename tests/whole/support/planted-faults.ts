import type { DocumentShape } from './shape-validator.ts';

/** A document with one fault: the beginning of the message that has to name it, Turtle, and the shapes tried. */
export type PlantedFault = readonly [message: string, turtle: string, ...shapes: DocumentShape[]];

/** URL of the documents with faults. */
export const FAULTY_URL = 'http://example.org/node';

const STREAM = '<#stream> a ldes:EventStream ; tree:view <> ; ldes:timestampPath ex:at .';
const TWICE = ['ex:a', 'ex:b'].join(', ');
const relation = (said: string, type = 'tree:Relation') =>
  `<> tree:relation _:r . _:r a ${type} ; tree:node <other> ; ${said} .`;
const policy = (said: string) => `${STREAM} <> ldes:retentionPolicy <#p> . <#p> a ldes:RetentionPolicy ; ${said} .`;

/** Documents that hold to every shape: what the faults are planted in. */
export const SOUND: readonly (readonly [turtle: string, ...shapes: DocumentShape[]])[] = [
  [
    `${STREAM} <> a tree:Node ; tree:relation _:r . _:r a tree:Relation ; tree:node <other> .`,
    'tree.ttl#RootNode',
    'ldes.ttl#Root',
    'ldes.ttl#InnerNode',
    'ldes.ttl#MutableNode',
  ],
  [
    policy('ldes:versionAmount 1 ; ldes:versionDeleteDuration "PT0S"^^xsd:duration'),
    'ldes.ttl#RetainingRoot',
    'ldes.ttl#LatestView',
  ],
  [policy('ldes:startingFrom "2026-01-01T00:00:00+01:00"^^xsd:dateTime ; ldes:fullLogDuration "P1D"^^xsd:duration')],
  ['<> a tree:Node ; ldes:immutable true . <#stream> tree:member ex:m .', 'ldes.ttl#Page', 'ldes.ttl#SealedNode'],
  ['<parent> tree:relation _:r . _:r a tree:Relation ; tree:node <> .', 'tree.ttl#ReachedNode'],
  [
    relation(
      'tree:path geo:asWKT ; tree:value "POLYGON ((3 50, 4 50, 4 51, 3 51, 3 50))"^^geo:wktLiteral',
      'tree:GeospatiallyContainsRelation',
    ),
  ],
];

/** One document for each thing that a shape forbids. */
export const FAULTS: readonly PlantedFault[] = [
  // TREE
  ['TREE, Definitions: a node is named', '_:n a tree:Node .'],
  ['TREE, Initialization: exactly one collection', '<> a tree:Node .', 'tree.ttl#RootNode'],
  ['TREE, Initialization: exactly one collection', 'ex:a tree:view <> . ex:b tree:view <> .', 'tree.ttl#RootNode'],
  [
    'TREE, Definitions: no relation leads to the root',
    `${STREAM} <other> tree:relation [ a tree:Relation ; tree:node <> ] .`,
  ],
  ['TREE, Definitions: the relations to a node', '<> a tree:Node .', 'tree.ttl#ReachedNode'],
  [
    'TREE, Definitions: the relations to a node',
    '<p> tree:relation [ a tree:Relation ; tree:node <> ] . <q> tree:relation [ a tree:Relation ; tree:node <> ] .',
    'tree.ttl#ReachedNode',
  ],
  ['TREE, Traversing the search tree; LDES Server Primer', '<> tree:relation [ a tree:Relation ] .'],
  ['TREE, Traversing the search tree; LDES Server Primer', relation('tree:node <third>')],
  [
    'TREE, Traversing the search tree; LDES Server Primer',
    '<> tree:relation [ a tree:Relation ; tree:node "other" ] .',
  ],
  ['TREE, Definitions: a relation stands', '<> tree:relation [ a tree:Relation ; tree:node <> ] .'],
  ['TREE, Definitions: a relation stands', `${relation('tree:remainingItems 1')} <third> tree:relation _:r .`],
  ['TREE, Pruning branches: the path', relation(`tree:path ${TWICE}`)],
  ['TREE, Pruning branches: the path', relation('tree:path "at"')],
  ['TREE, Pruning branches: a relation compares', relation('tree:value 1, 2')],
  ['TREE, Traversing the search tree: tree:remainingItems', relation('tree:remainingItems "many"')],
  ['TREE, Traversing the search tree: tree:remainingItems', relation('tree:remainingItems -1')],
  ['TREE, Pruning branches: a relation should have one type', '<> tree:relation [ tree:node <other> ] .'],
  [
    'LDES Server Primer, Relations: a relation that compares has exactly one tree:path',
    relation('tree:value 1', 'tree:EqualToRelation'),
  ],
  [
    'LDES Server Primer, Relations: a relation that compares has exactly one tree:value',
    relation('tree:path ex:at', 'tree:PrefixRelation'),
  ],
  [
    'TREE, Comparing strings, IRIs and time literals',
    relation('tree:path ex:at ; tree:value "2026-01-01T00:00:00"^^xsd:dateTime', 'tree:GreaterThanRelation'),
  ],
  ['TREE, Pruning branches: part of a text', relation('tree:path ex:at ; tree:value ex:a', 'tree:SubstringRelation')],
  [
    'LDES Server Primer, Paginating: to an upper bound',
    relation('tree:path ex:at ; tree:value 1', 'tree:LessThanRelation'),
  ],
  [
    'TREE, Comparing geospatial features: a geospatial relation has exactly one tree:path',
    relation('tree:value "POLYGON ((3 50, 4 50, 4 51, 3 50))"^^geo:wktLiteral', 'tree:GeospatiallyContainsRelation'),
  ],
  [
    'TREE, Comparing geospatial features: a geospatial relation has exactly one tree:value',
    relation(
      'tree:path geo:asWKT ; tree:value "POLYGON ((3 50, 4 50, 4 51, 3 50))"',
      'tree:GeospatiallyContainsRelation',
    ),
  ],
  [
    'TREE, Comparing geospatial features: a geospatial relation has exactly one tree:value',
    relation('tree:path geo:asWKT ; tree:value "POINT (3 50)"^^geo:wktLiteral', 'tree:GeospatiallyContainsRelation'),
  ],
  ['TREE, Initialization: a collection is named', '_:c a tree:Collection .'],
  ['TREE, The member extraction algorithm', '<#c> tree:member "m" .'],
  ['TREE, Initialization: a view is named', '<#c> tree:view _:v .'],
  ['TREE, Overview: a collection has at most one shape', `<#c> a tree:Collection ; tree:shape ${TWICE} .`],
  ['TREE, Search forms: a search form has exactly one', '<> tree:search [ hydra:mapping [] ] .'],
  ['TREE, Search forms: a search form says', '<> tree:search [ hydra:template "{x}" ] .'],

  // LDES
  ['LDES, Synchronization algorithm: an event stream', '_:s a ldes:EventStream .'],
  ['Server Primer, Members', '<#stream> tree:member _:m . _:m a ex:Thing .'],
  ...[
    'timestampPath',
    'sequencePath',
    'versionOfPath',
    'versionTimestampPath',
    'versionSequencePath',
    'versionCreatePath',
    'versionUpdatePath',
    'versionDeletePath',
    'transactionPath',
    'transactionFinalizedPath',
  ].flatMap((name): PlantedFault[] => [
    [`Server Primer, For the Root Node: ldes:${name} is`, `<#stream> a ldes:EventStream ; ldes:${name} ${TWICE} .`],
    [`Server Primer, For the Root Node: ldes:${name} is`, `<#stream> a ldes:EventStream ; ldes:${name} "path" .`],
  ]),
  ...['versionCreateObject', 'versionUpdateObject', 'versionDeleteObject', 'transactionFinalizedObject'].map(
    (name): PlantedFault => [
      `Server Primer, For the Root Node: at most one ldes:${name}`,
      `<#stream> a ldes:EventStream ; ldes:${name} ${TWICE} .`,
    ],
  ),
  [
    'LDES, Synchronization algorithm; vocabulary: ldes:pollingInterval',
    '<#stream> ldes:pollingInterval "PT5S"^^xsd:duration .',
  ],
  ['LDES, Synchronization algorithm; vocabulary: ldes:pollingInterval', '<#stream> ldes:pollingInterval 1.5 .'],
  ['Server Primer, For the Root Node: at most one tree:shape', `<#stream> a ldes:EventStream ; tree:shape ${TWICE} .`],
  ['Server Primer, Entry Points', '<#c> tree:view <> .', 'ldes.ttl#Root'],
  [
    'Server Primer, For the Root Node: at most one tree:viewDescription',
    `${STREAM} <> tree:viewDescription ${TWICE} .`,
    'ldes.ttl#Root',
  ],
  [
    'Server Primer, For the Root Node: at most one retention policy',
    `${STREAM} <> ldes:retentionPolicy <#p> ; tree:viewDescription <#v> . <#v> ldes:retentionPolicy <#q> .`,
    'ldes.ttl#Root',
  ],
  [
    'Server Primer, Paginating: the stream should say',
    '<#stream> a ldes:EventStream ; tree:view <> .',
    'ldes.ttl#Root',
  ],
  ['LDES, Retention policies: without a policy', STREAM, 'ldes.ttl#RetainingRoot'],
  [
    'LDES, Retention policies: the latest state keeps one version',
    policy('ldes:versionAmount 2'),
    'ldes.ttl#LatestView',
  ],
  [
    'LDES, Retention policies: the latest state keeps no deletes',
    policy('ldes:versionAmount 1'),
    'ldes.ttl#LatestView',
  ],
  ['Server Primer, Root Node and Subsequent Nodes: an inner node', '<> a tree:Node .', 'ldes.ttl#InnerNode'],
  [
    'Server Primer, Root Node and Subsequent Nodes: a document below the root',
    'ex:a tree:view <> . ex:b tree:view <> .',
    'ldes.ttl#InnerNode',
  ],
  [
    'Server Primer, Root Node and Subsequent Nodes: a document below the root',
    'ex:a tree:view <> . ex:b tree:view <> .',
    'ldes.ttl#Page',
  ],
  ['TREE, Definitions: a page is a node', '<#stream> tree:member ex:m .', 'ldes.ttl#Page'],
  ['LDES, State management: a document that never changes', '<> a tree:Node .', 'ldes.ttl#SealedNode'],
  [
    'Server Primer, Root Node and Subsequent Nodes: a document that may change',
    '<> ldes:immutable true .',
    'ldes.ttl#MutableNode',
  ],
  ['Vocabulary: ldes:immutable is one boolean', '<> ldes:immutable "true" .'],
  ['Server Primer, Root Node and Subsequent Nodes: ldes:immutable false', '<> ldes:immutable false .'],
  ['Server Primer, For the Retention policies: at most one', '<> ldes:retentionPolicy [ ldes:versionAmount 1 ] .'],
  ['Server Primer, For the Retention policies: at most one', `<> ldes:retentionPolicy ${TWICE} .`],
  ['LDES, Retention policies: a policy of which', '<> ldes:retentionPolicy <#p> .'],
  ['LDES, Retention policies: ldes:startingFrom', policy('ldes:startingFrom "2026-01-01T00:00:00"^^xsd:dateTime')],
  ['LDES, Retention policies: ldes:startingFrom', policy('ldes:startingFrom "2026-01-01"^^xsd:date')],
  ['Server Primer, For the Retention policies: ldes:fullLogDuration', policy('ldes:fullLogDuration 3600')],
  ['Server Primer, Compacting your log: ldes:versionAmount', policy('ldes:versionAmount 0')],
  ['Server Primer, Compacting your log: ldes:versionAmount', policy('ldes:versionAmount 1, 2')],
  [
    'Server Primer, For the Retention policies: ldes:versionDuration',
    policy('ldes:versionAmount 1 ; ldes:versionDuration "P1D"'),
  ],
  ['Server Primer, For the Retention policies: ldes:versionDeleteDuration', policy('ldes:versionDeleteDuration 0')],
  ['Vocabulary, versionDuration', policy('ldes:versionDuration "P1D"^^xsd:duration')],
  ['LDES, Retention policies: the older classes', policy('a ldes:LatestVersionSubset ; ldes:amount 1')],
  [
    'Vocabulary, EventSource',
    '<#stream> a ldes:EventStream ; tree:view <> . <> tree:viewDescription <#v> . <#v> a ldes:EventSource .',
  ],
  [
    'LDES, Versions and transactions: what creates',
    '<#stream> a ldes:EventStream ; ldes:versionDeleteObject ex:Delete .',
  ],
  [
    'LDES, Versions and transactions: who states',
    '<#stream> a ldes:EventStream ; ldes:transactionFinalizedPath ex:done .',
  ],
];
