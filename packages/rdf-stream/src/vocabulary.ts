// Terms of the standard vocabularies that the framework itself writes or reads, by prefix.

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const LDES = 'https://w3id.org/ldes#';
const TREE = 'https://w3id.org/tree#';
const DCT = 'http://purl.org/dc/terms/';
const DCAT = 'http://www.w3.org/ns/dcat#';
const PROV = 'http://www.w3.org/ns/prov#';
const AS = 'https://www.w3.org/ns/activitystreams#';
const SOSA = 'http://www.w3.org/ns/sosa/';

/** Terms of RDF. */
export const rdf = { type: `${RDF}type` } as const;

/** Datatypes of XML Schema. */
export const xsd = {
  boolean: `${XSD}boolean`,
  dateTime: `${XSD}dateTime`,
  decimal: `${XSD}decimal`,
  double: `${XSD}double`,
  duration: `${XSD}duration`,
  integer: `${XSD}integer`,
  string: `${XSD}string`,
} as const;

/** Terms of LDES. @see https://w3id.org/ldes# */
export const ldes = {
  EventStream: `${LDES}EventStream`,
  EventSource: `${LDES}EventSource`,
  RetentionPolicy: `${LDES}RetentionPolicy`,
  immutable: `${LDES}immutable`,
  pollingInterval: `${LDES}pollingInterval`,
  retentionPolicy: `${LDES}retentionPolicy`,
  sequencePath: `${LDES}sequencePath`,
  timestampPath: `${LDES}timestampPath`,
  versionAmount: `${LDES}versionAmount`,
  versionDeleteDuration: `${LDES}versionDeleteDuration`,
  versionDeleteObject: `${LDES}versionDeleteObject`,
  versionOfPath: `${LDES}versionOfPath`,
  versionTimestampPath: `${LDES}versionTimestampPath`,
} as const;

/** Terms of TREE. @see https://w3id.org/tree# */
export const tree = {
  Node: `${TREE}Node`,
  GreaterThanOrEqualToRelation: `${TREE}GreaterThanOrEqualToRelation`,
  LessThanRelation: `${TREE}LessThanRelation`,
  Relation: `${TREE}Relation`,
  member: `${TREE}member`,
  node: `${TREE}node`,
  path: `${TREE}path`,
  relation: `${TREE}relation`,
  value: `${TREE}value`,
  view: `${TREE}view`,
  viewDescription: `${TREE}viewDescription`,
} as const;

/** Terms of DCMI. */
export const dct = {
  description: `${DCT}description`,
  identifier: `${DCT}identifier`,
  isVersionOf: `${DCT}isVersionOf`,
  title: `${DCT}title`,
} as const;

/** Terms of DCAT. @see https://www.w3.org/TR/vocab-dcat-3/ */
export const dcat = {
  Catalog: `${DCAT}Catalog`,
  DataService: `${DCAT}DataService`,
  Distribution: `${DCAT}Distribution`,
  accessService: `${DCAT}accessService`,
  accessURL: `${DCAT}accessURL`,
  distribution: `${DCAT}distribution`,
  Dataset: `${DCAT}Dataset`,
  dataset: `${DCAT}dataset`,
  endpointURL: `${DCAT}endpointURL`,
  service: `${DCAT}service`,
  servesDataset: `${DCAT}servesDataset`,
} as const;

/** Terms of PROV-O. */
export const prov = { generatedAtTime: `${PROV}generatedAtTime` } as const;

/** Terms of Activity Streams 2.0. */
export const as = { Delete: `${AS}Delete` } as const;

/** Terms of SOSA. */
export const sosa = { resultTime: `${SOSA}resultTime` } as const;

/** Prefixes for writing: every vocabulary that members and documents use, own terms excepted. */
export const prefixes = {
  as: AS,
  dcat: DCAT,
  dct: DCT,
  foaf: 'http://xmlns.com/foaf/0.1/',
  geo: 'http://www.opengis.net/ont/geosparql#',
  grt: 'https://w3id.org/mobility/gtfs-rt/core#',
  gtfs: 'http://vocab.gtfs.org/terms#',
  ldes: LDES,
  prov: PROV,
  rdf: RDF,
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  schema: 'http://schema.org/',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  sosa: SOSA,
  tree: TREE,
  wgs: 'http://www.w3.org/2003/01/geo/wgs84_pos#',
  xsd: XSD,
} as const;
