import { dct, ldes, prov, rdf, tree, xsd } from '@ldes-live/rdf-stream';

/** A finished LDES on pages of one size. */
export interface HistoryShape {
  /** URL of its folder, ending in `/`. */
  readonly baseUrl: string;
  readonly members: number;
  readonly pageMembers: number;
  readonly entities: number;
  readonly format: HistoryFormat;
  /** Whether relations say which times their pages hold, so that it can be read in order without reading all of it first. */
  readonly isOrdered: boolean;
}

/** The formats that histories are written in, by the ends of their files' names. */
export type HistoryFormat = 'nq' | 'ttl';

export const HISTORY_MEDIA_TYPES: Readonly<Record<HistoryFormat, string>> = {
  nq: 'application/n-quads',
  ttl: 'text/turtle',
};

const EX = 'http://example.org/parking#';
const START_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 1000;

/** Its documents by their names: the root, `root.nq` or `root.ttl`, and the pages that it leads to, one after the other. */
export function* historyDocuments(shape: HistoryShape): Generator<readonly [name: string, text: string]> {
  const write = shape.format === 'nq' ? writeNQuads : writeTurtle;
  const pages = Math.ceil(shape.members / shape.pageMembers);
  yield [`root.${shape.format}`, write(rootStatements(shape, pages))];
  for (let page = 0; page < pages; page += 1) yield [pageName(shape, page), write(pageStatements(shape, page))];
}

/** IRI of a version. */
function historyMember({ baseUrl }: Pick<HistoryShape, 'baseUrl'>, number: number): string {
  return `${baseUrl}versions/${number}`;
}

/** The number of a version in its history, by its IRI. */
export function historyNumber(iri: string): number {
  return Number(iri.slice(iri.lastIndexOf('/') + 1));
}

/** What is said of one subject: predicates with their objects as N-Triples has them. */
type Statements = readonly [subject: string, said: readonly (readonly [predicate: string, object: string])[]];

function pageName({ format }: HistoryShape, page: number): string {
  return `page-${page}.${format}`;
}

function stream({ baseUrl, format }: HistoryShape): string {
  return iri(`${baseUrl}root.${format}#stream`);
}

function rootStatements(shape: HistoryShape, pages: number): Statements[] {
  const { baseUrl, format } = shape;
  const root = iri(`${baseUrl}root.${format}`);
  const relations = Array.from({ length: pages }, (_, page) => relationStatements(shape, page)).flat();
  return [
    [
      stream(shape),
      [
        [iri(rdf.type), iri(ldes.EventStream)],
        [iri(ldes.timestampPath), iri(prov.generatedAtTime)],
        [iri(ldes.versionOfPath), iri(dct.isVersionOf)],
        [iri(tree.view), root],
      ],
    ],
    [
      root,
      [
        [iri(rdf.type), iri(tree.Node)],
        [iri(ldes.immutable), `"true"^^${iri(xsd.boolean)}`],
        ...relations.map(([relation]) => [iri(tree.relation), relation] as const),
      ],
    ],
    ...relations,
  ];
}

// Two relations to an ordered page: from its first instant on, and before that of the next page.
function relationStatements(shape: HistoryShape, page: number): Statements[] {
  const { baseUrl, isOrdered, pageMembers } = shape;
  const node = iri(`${baseUrl}${pageName(shape, page)}`);
  const relation = (name: string, said: Statements[1]): Statements => [
    `_:${name}${page}`,
    [...said, [iri(tree.node), node]],
  ];
  if (!isOrdered) return [relation('to', [[iri(rdf.type), iri(tree.Relation)]])];
  const bound = (type: string, number: number): Statements[1] => [
    [iri(rdf.type), iri(type)],
    [iri(tree.path), iri(prov.generatedAtTime)],
    [iri(tree.value), instant(number)],
  ];
  return [
    relation('from', bound(tree.GreaterThanOrEqualToRelation, page * pageMembers)),
    relation('to', bound(tree.LessThanRelation, (page + 1) * pageMembers)),
  ];
}

function pageStatements(shape: HistoryShape, page: number): Statements[] {
  const { baseUrl, members, pageMembers } = shape;
  const first = page * pageMembers;
  const numbers = Array.from({ length: Math.min(pageMembers, members - first) }, (_, index) => first + index);
  const said = numbers.map((number) => [iri(tree.member), iri(historyMember(shape, number))] as const);
  return [
    [iri(`${baseUrl}${pageName(shape, page)}`), [[iri(ldes.immutable), `"true"^^${iri(xsd.boolean)}`]]],
    [stream(shape), said],
    ...numbers.map((number) => memberStatements(shape, number)),
  ];
}

// Eight quads.
function memberStatements(shape: HistoryShape, number: number): Statements {
  const entity = number % shape.entities;
  return [
    iri(historyMember(shape, number)),
    [
      [iri(rdf.type), iri(`${EX}CarPark`)],
      [iri(dct.isVersionOf), iri(`${shape.baseUrl}entities/${entity}`)],
      [iri(prov.generatedAtTime), instant(number)],
      [iri(`${EX}observedBy`), iri('http://example.org/id/sensors/1')],
      [iri(`${EX}name`), `"Car park ${entity}"`],
      [iri(`${EX}spaces`), `"1000"^^${iri(xsd.integer)}`],
      [iri(`${EX}vacant`), `"${(number * 37) % 1000}"^^${iri(xsd.integer)}`],
      [iri(`${EX}operator`), iri('http://example.org/id/operators/1')],
    ],
  ];
}

function instant(number: number): string {
  return `"${new Date(START_MS + number * STEP_MS).toISOString()}"^^${iri(xsd.dateTime)}`;
}

function iri(value: string): string {
  return `<${value}>`;
}

function writeNQuads(statements: readonly Statements[]): string {
  return statements
    .flatMap(([subject, said]) => said.map(([predicate, object]) => `${subject} ${predicate} ${object} .\n`))
    .join('');
}

function writeTurtle(statements: readonly Statements[]): string {
  return statements
    .map(
      ([subject, said]) =>
        `${subject}\n${said.map(([predicate, object]) => `  ${predicate} ${object}`).join(' ;\n')} .\n`,
    )
    .join('');
}
