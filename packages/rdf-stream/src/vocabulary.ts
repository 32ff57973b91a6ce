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
const SH = 'http://www.w3.org/ns/shacl#';
const DQV = 'http://www.w3.org/ns/dqv#';
const FOAF = 'http://xmlns.com/foaf/0.1/';
const VOCALS = 'http://w3id.org/rsp/vocals#';
const LIVE = 'https://w3id.org/ldes-live/terms#';

/** Terms of RDF. */
export const rdf = {
  first: `${RDF}first`,
  langString: `${RDF}langString`,
  nil: `${RDF}nil`,
  rest: `${RDF}rest`,
  type: `${RDF}type`,
} as const;

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
  fullLogDuration: `${LDES}fullLogDuration`,
  pollingInterval: `${LDES}pollingInterval`,
  retentionPolicy: `${LDES}retentionPolicy`,
  sequencePath: `${LDES}sequencePath`,
  startingFrom: `${LDES}startingFrom`,
  timestampPath: `${LDES}timestampPath`,
  versionAmount: `${LDES}versionAmount`,
  versionDeleteDuration: `${LDES}versionDeleteDuration`,
  versionDeleteObject: `${LDES}versionDeleteObject`,
  versionDuration: `${LDES}versionDuration`,
  versionOfPath: `${LDES}versionOfPath`,
  versionTimestampPath: `${LDES}versionTimestampPath`,
} as const;

/** Terms of TREE. @see https://w3id.org/tree# */
export const tree = {
  Node: `${TREE}Node`,
  GeospatiallyContainsRelation: `${TREE}GeospatiallyContainsRelation`,
  GreaterThanOrEqualToRelation: `${TREE}GreaterThanOrEqualToRelation`,
  LessThanRelation: `${TREE}LessThanRelation`,
  Relation: `${TREE}Relation`,
  member: `${TREE}member`,
  node: `${TREE}node`,
  path: `${TREE}path`,
  relation: `${TREE}relation`,
  shape: `${TREE}shape`,
  value: `${TREE}value`,
  view: `${TREE}view`,
  viewDescription: `${TREE}viewDescription`,
} as const;

/** Terms of DCMI. */
export const dct = {
  accrualPeriodicity: `${DCT}accrualPeriodicity`,
  conformsTo: `${DCT}conformsTo`,
  description: `${DCT}description`,
  format: `${DCT}format`,
  identifier: `${DCT}identifier`,
  isVersionOf: `${DCT}isVersionOf`,
  license: `${DCT}license`,
  publisher: `${DCT}publisher`,
  source: `${DCT}source`,
  title: `${DCT}title`,
  type: `${DCT}type`,
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
  downloadURL: `${DCAT}downloadURL`,
  endpointDescription: `${DCAT}endpointDescription`,
  endpointURL: `${DCAT}endpointURL`,
  keyword: `${DCAT}keyword`,
  mediaType: `${DCAT}mediaType`,
  service: `${DCAT}service`,
  servesDataset: `${DCAT}servesDataset`,
} as const;

/** Terms of PROV-O. */
export const prov = { generatedAtTime: `${PROV}generatedAtTime` } as const;

/** Terms of Activity Streams 2.0. */
export const as = { Delete: `${AS}Delete` } as const;

/** Terms of SOSA. */
export const sosa = { resultTime: `${SOSA}resultTime` } as const;

/** Terms of the Data Quality Vocabulary. @see https://www.w3.org/TR/vocab-dqv/ */
export const dqv = {
  Metric: `${DQV}Metric`,
  QualityMeasurement: `${DQV}QualityMeasurement`,
  computedOn: `${DQV}computedOn`,
  expectedDataType: `${DQV}expectedDataType`,
  hasQualityMeasurement: `${DQV}hasQualityMeasurement`,
  isMeasurementOf: `${DQV}isMeasurementOf`,
  value: `${DQV}value`,
} as const;

/** Terms of FOAF. @see http://xmlns.com/foaf/spec/ */
export const foaf = { Agent: `${FOAF}Agent`, name: `${FOAF}name`, page: `${FOAF}page` } as const;

/** Terms of VoCaLS, for streams and where they are pushed from. @see http://w3id.org/rsp/vocals# */
export const vocals = {
  RDFStream: `${VOCALS}RDFStream`,
  StreamDescriptor: `${VOCALS}StreamDescriptor`,
  StreamEndpoint: `${VOCALS}StreamEndpoint`,
  hasEndpoint: `${VOCALS}hasEndpoint`,
} as const;

/** Terms of SHACL. @see https://www.w3.org/TR/shacl/ */
export const sh = {
  IRI: `${SH}IRI`,
  NodeShape: `${SH}NodeShape`,
  closed: `${SH}closed`,
  datatype: `${SH}datatype`,
  hasValue: `${SH}hasValue`,
  ignoredProperties: `${SH}ignoredProperties`,
  in: `${SH}in`,
  maxCount: `${SH}maxCount`,
  minCount: `${SH}minCount`,
  minInclusive: `${SH}minInclusive`,
  node: `${SH}node`,
  nodeKind: `${SH}nodeKind`,
  not: `${SH}not`,
  or: `${SH}or`,
  path: `${SH}path`,
  pattern: `${SH}pattern`,
  property: `${SH}property`,
  targetClass: `${SH}targetClass`,
  targetObjectsOf: `${SH}targetObjectsOf`,
} as const;

/** Terms of this framework itself, the same at every publisher. @see specs/vocabulary/live.ttl */
export const live = {
  sequence: `${LIVE}sequence`,
} as const;

/** Prefixes for writing: every vocabulary that members and documents use, but for `rt`. */
export const prefixes = {
  as: AS,
  dcat: DCAT,
  dct: DCT,
  dqv: DQV,
  foaf: FOAF,
  geo: 'http://www.opengis.net/ont/geosparql#',
  grt: 'https://w3id.org/mobility/gtfs-rt/core#',
  gtfs: 'http://vocab.gtfs.org/terms#',
  ldes: LDES,
  live: LIVE,
  prov: PROV,
  rdf: RDF,
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  schema: 'http://schema.org/',
  sh: SH,
  skos: 'http://www.w3.org/2004/02/skos/core#',
  sosa: SOSA,
  tree: TREE,
  vocals: VOCALS,
  wgs: 'http://www.w3.org/2003/01/geo/wgs84_pos#',
  xsd: XSD,
} as const;

/**
 * Namespace IRI of the project's terms for GTFS-Realtime, as the server at `publicUrl` serves them.
 *
 * @param publicUrl - the base URL of the server, ending in `/`
 * @see specs/documents.md DOC-16
 */
export function ownNamespace(publicUrl: string, name: 'rt'): string {
  return `${publicUrl}ns/${name}#`;
}
