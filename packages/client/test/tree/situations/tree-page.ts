import type { Answer } from './situation.ts';
import { iri } from './situation.ts';
import { WATER, type WaterReading } from './water.ts';

/** A link to another node. */
export interface Relation {
  readonly to: string;
  /** Without namespace and `Relation`: `GreaterThan`; `''` for a plain one. */
  readonly type: string;
  /** A literal in Turtle. */
  readonly value?: string;
  /** @defaultValue w:read */
  readonly path?: string;
}

/** What a page says. */
export interface TreePage {
  /** Path of the node. */
  readonly node: string;
  readonly members?: readonly WaterReading[];
  readonly relations?: readonly Relation[];
  /** Path of the root, as the page states it; absent: it does not. */
  readonly view?: string;
  /** Whether it says which property is the time and which the entity. */
  readonly hasContext?: boolean;
  /** Path of the stream. @defaultValue stream */
  readonly stream?: string;
  /** More Turtle. */
  readonly more?: string;
}

/** What every page begins with. */
export const PREFIXES = `@prefix tree: <https://w3id.org/tree#> .
@prefix ldes: <https://w3id.org/ldes#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix w: <${WATER}> .
`;

/** What a stream says of itself. */
export const CONTEXT = 'ldes:timestampPath w:read ; ldes:versionOfPath w:gauge';

/** A page in Turtle. */
export function treePage(page: TreePage): string {
  const { node, members = [], relations = [], view, hasContext = false, stream = 'stream', more = '' } = page;
  const stated = [
    'a ldes:EventStream',
    ...(hasContext ? [CONTEXT] : []),
    ...(view === undefined ? [] : [`tree:view <${iri(view)}>`]),
    ...(members.length === 0 ? [] : [`tree:member ${members.map(({ path }) => `<${iri(path)}>`).join(', ')}`]),
  ];
  const links = relations.map((relation) => `;\n  tree:relation ${relationTurtle(relation)}`);
  return `${PREFIXES}
<${iri(stream)}> ${stated.join(' ;\n  ')} .
<${iri(node)}> a tree:Node${links.join('')} .
${members.map(({ turtle }) => turtle).join('\n')}
${more}
`;
}

function relationTurtle({ to, type, value, path = 'w:read' }: Relation): string {
  const bound = value === undefined ? '' : ` ; tree:path ${path} ; tree:value ${value}`;
  return `[ a tree:${type}Relation ; tree:node <${iri(to)}>${bound} ]`;
}

/** An instant as a literal. */
export function dateTime(text: string): string {
  return `"${text}"^^xsd:dateTime`;
}

/** The two relations that bound the node of a time span. */
export function span(to: string, from: string, until: string): Relation[] {
  return [
    { to, type: 'GreaterThanOrEqualTo', value: dateTime(from) },
    { to, type: 'LessThan', value: dateTime(until) },
  ];
}

/** The answer of a page that never changes again. */
export function sealed(body: string): Answer {
  return { body, headers: { 'cache-control': 'public, max-age=604800, immutable' } };
}
