// Terms that streams of other publishers use and this framework's own documents do not.

const LDES = 'https://w3id.org/ldes#';
const TREE = 'https://w3id.org/tree#';
const SH = 'http://www.w3.org/ns/shacl#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** Terms of LDES for versions, transactions and retention, old ones included. @see https://w3id.org/ldes# */
export const ldesTerms = {
  DurationAgoPolicy: `${LDES}DurationAgoPolicy`,
  LatestVersionSubset: `${LDES}LatestVersionSubset`,
  PointInTimePolicy: `${LDES}PointInTimePolicy`,
  amount: `${LDES}amount`,
  pointInTime: `${LDES}pointInTime`,
  transactionFinalizedObject: `${LDES}transactionFinalizedObject`,
  transactionFinalizedPath: `${LDES}transactionFinalizedPath`,
  transactionPath: `${LDES}transactionPath`,
  versionDeletePath: `${LDES}versionDeletePath`,
  versionSequencePath: `${LDES}versionSequencePath`,
} as const;

/** Types of TREE relations that bound an order. @see https://w3id.org/tree# */
export const relationTypes = {
  EqualTo: `${TREE}EqualToRelation`,
  GreaterThan: `${TREE}GreaterThanRelation`,
  GreaterThanOrEqualTo: `${TREE}GreaterThanOrEqualToRelation`,
  InBetween: `${TREE}InBetweenRelation`,
  LessThan: `${TREE}LessThanRelation`,
  LessThanOrEqualTo: `${TREE}LessThanOrEqualToRelation`,
} as const;

/** Property paths of SHACL. @see https://www.w3.org/TR/shacl/#property-paths */
export const pathTerms = {
  alternativePath: `${SH}alternativePath`,
  inversePath: `${SH}inversePath`,
  oneOrMorePath: `${SH}oneOrMorePath`,
  zeroOrMorePath: `${SH}zeroOrMorePath`,
  zeroOrOnePath: `${SH}zeroOrOnePath`,
} as const;

/** Datatypes whose values are numbers, and those whose values are times of less precision than a dateTime. */
export const orderTypes = {
  numbers: new Set(
    [
      ...['integer', 'decimal', 'double', 'float', 'long', 'int', 'short', 'byte', 'nonNegativeInteger'],
      ...['positiveInteger', 'unsignedLong', 'unsignedInt', 'unsignedShort', 'unsignedByte', 'negativeInteger'],
      'nonPositiveInteger',
    ].map((name) => XSD + name),
  ) as ReadonlySet<string>,
  years: new Set([`${XSD}gYear`, `${XSD}gYearMonth`]) as ReadonlySet<string>,
} as const;
