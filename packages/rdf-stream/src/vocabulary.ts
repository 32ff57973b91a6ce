// Terms of the standard vocabularies that the framework itself writes or reads, by prefix. Each namespace is that of a
// document that explains them: Activity Streams (as), DCAT, DCMI (dct), VoCaLS for streams and where they are pushed from
// (vocals), and so on.
//   terms('dct', 'title type')  ->  { title: 'http://purl.org/dc/terms/title', type: 'http://purl.org/dc/terms/type' }

/** Prefixes for writing: every vocabulary that members and documents use. */
export const prefixes = {
  as: 'https://www.w3.org/ns/activitystreams#',
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  geo: 'http://www.opengis.net/ont/geosparql#',
  grt: 'https://w3id.org/mobility/gtfs-rt/core#',
  gtfs: 'http://vocab.gtfs.org/terms#',
  ldes: 'https://w3id.org/ldes#',
  live: 'https://w3id.org/ldes-live/terms#',
  prov: 'http://www.w3.org/ns/prov#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  rt: 'https://w3id.org/ldes-live/gtfs-rt#',
  schema: 'http://schema.org/',
  sd: 'http://www.w3.org/ns/sparql-service-description#',
  sh: 'http://www.w3.org/ns/shacl#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  sosa: 'http://www.w3.org/ns/sosa/',
  tree: 'https://w3id.org/tree#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  vocals: 'http://w3id.org/rsp/vocals#',
  void: 'http://rdfs.org/ns/void#',
  wgs: 'http://www.w3.org/2003/01/geo/wgs84_pos#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
} as const;

type Word<Words extends string> = Words extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Words;
type Terms<Prefix extends keyof typeof prefixes, Words extends string> = {
  readonly [Term in Word<Words>]: `${(typeof prefixes)[Prefix]}${Term}`;
};

/** The IRIs of a vocabulary by their terms, which `words` has between single spaces, in as many texts as wanted. */
// Without side effects: bundlers leave out the vocabularies that nobody uses.
/* @__NO_SIDE_EFFECTS__ */
export function terms<const Prefix extends keyof typeof prefixes, const Words extends string>(
  prefix: Prefix,
  ...words: readonly Words[]
): Terms<Prefix, Words> {
  const names = words.flatMap((text) => text.split(' '));
  return Object.fromEntries(names.map((name) => [name, prefixes[prefix] + name])) as Terms<Prefix, Words>;
}

export const rdf = terms('rdf', 'first langString nil rest type');
export const xsd = terms('xsd', 'boolean dateTime decimal double duration integer string');
/** The types of exact numbers. */
export const decimals = terms(
  'xsd',
  'decimal integer long int short byte nonNegativeInteger positiveInteger unsignedLong unsignedInt unsignedShort',
  'unsignedByte nonPositiveInteger negativeInteger',
);
export const ldes = terms(
  'ldes',
  'EventStream EventSource RetentionPolicy immutable fullLogDuration pollingInterval retentionPolicy sequencePath',
  'startingFrom timestampPath transactionFinalizedObject transactionFinalizedPath versionAmount versionDeleteDuration',
  'versionDeleteObject versionDeletePath versionDuration versionOfPath versionSequencePath versionTimestampPath',
);
export const tree = terms(
  'tree',
  'Node GeospatiallyContainsRelation GreaterThanOrEqualToRelation LessThanRelation Relation member node path',
  'relation shape value view viewDescription',
);
export const dct = terms(
  'dct',
  'Frequency LicenseDocument Location MediaType MediaTypeOrExtent Standard accrualPeriodicity conformsTo description format isVersionOf',
  'license publisher spatial title type',
);
export const dcat = terms(
  'dcat',
  'Catalog DataService Distribution accessService accessURL contactPoint distribution Dataset dataset downloadURL',
  'endpointDescription endpointURL keyword mediaType service servesDataset theme',
);
export const prov = terms('prov', 'generatedAtTime');
export const as = terms('as', 'Delete');
export const sosa = terms('sosa', 'resultTime');
export const foaf = terms('foaf', 'Agent name');
export const sd = terms('sd', 'SPARQL11Query Service endpoint resultFormat supportedLanguage');
export const skos = terms('skos', 'Concept prefLabel');
export const vcard = terms('vcard', 'Kind fn hasEmail hasURL');
export const voidTerms = terms('void', 'sparqlEndpoint');
export const vocals = terms('vocals', 'RDFStream StreamDescriptor StreamEndpoint hasEndpoint');
export const sh = terms(
  'sh',
  'IRI NodeShape closed datatype hasValue ignoredProperties in maxCount minCount minInclusive node nodeKind not or',
  'path pattern property targetClass targetObjectsOf',
);

/** Terms of this framework itself, the same at every publisher. @see specs/vocabulary/live.ttl */
export const live = terms('live', 'sequence');
