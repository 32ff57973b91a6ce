// Terms that a check looks for and that the framework itself does not write.

const LDES = 'https://w3id.org/ldes#';
const TREE = 'https://w3id.org/tree#';

/** Relations that order by a value, with what their value is to the members: `member OPERATOR value`. */
export const comparisons: ReadonlyMap<string, '>' | '>=' | '<' | '<=' | '='> = new Map([
  [`${TREE}GreaterThanRelation`, '>'],
  [`${TREE}GreaterThanOrEqualToRelation`, '>='],
  [`${TREE}LessThanRelation`, '<'],
  [`${TREE}LessThanOrEqualToRelation`, '<='],
  [`${TREE}EqualToRelation`, '='],
]);

/** Relations that compare with a value, beside {@link comparisons}. */
export const otherTypedRelations: ReadonlySet<string> = new Set([
  `${TREE}PrefixRelation`,
  `${TREE}SubstringRelation`,
  `${TREE}SuffixRelation`,
  `${TREE}NotEqualToRelation`,
  `${TREE}GeospatiallyContainsRelation`,
]);

/** The media type parameter by which a document claims the TREE profile. */
export const TREE_PROFILE = 'https://w3id.org/tree/profile';

/** What a stream says of itself at most once. */
export const contextProperties: readonly string[] = [
  'timestampPath',
  'sequencePath',
  'versionOfPath',
  'versionTimestampPath',
  'versionSequencePath',
  'versionCreatePath',
  'versionUpdatePath',
  'versionDeletePath',
  'versionCreateObject',
  'versionUpdateObject',
  'versionDeleteObject',
  'transactionPath',
  'transactionFinalizedPath',
  'transactionFinalizedObject',
  'pollingInterval',
].map((name) => `${LDES}${name}`);

/** Classes and properties of retention that LDES has replaced. */
export const legacyRetention: ReadonlySet<string> = new Set(
  ['DurationAgoPolicy', 'LatestVersionSubset', 'PointInTimePolicy', 'amount', 'pointInTime', 'versionKey'].map(
    (name) => `${LDES}${name}`,
  ),
);

/** What a term of LDES or TREE is called for people. */
export function shortName(iri: string): string {
  if (iri.startsWith(LDES)) return `ldes:${iri.slice(LDES.length)}`;
  return iri.startsWith(TREE) ? `tree:${iri.slice(TREE.length)}` : `<${iri}>`;
}
