/*
 * The entities as rows, whatever they are about. Columns are the properties that most of them have; only the rows in sight
 * are in the page, so that tens of thousands scroll as ten do. A row that changes flashes, one that ends fades.
 */

import { rdf } from '@ldes-live/rdf-stream/vocabulary';
import type { Term } from '@rdfjs/types';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Entity, Facts } from './entity.ts';
import { age, compactNumber } from './format.ts';
import { isInstant, knownLabels, localName, numberOf, pathLabel, termLabel } from './labels.ts';
import type { LiveStream } from './live-stream.ts';
import { viewHref } from './route.ts';
import { useTick } from './use-tick.ts';

const ROW_PIXELS = 38;
const SPARE_ROWS = 8;
const LIMIT_COLUMNS = 8;
const SAMPLE = 300;
// Rows that jump about cannot be read: their order is made anew this often.
const ORDER_MS = 1000;

interface Sorting {
  /** A property; '' for the label, `changed` for the time of the newest version. */
  readonly by: string;
  readonly isDescending: boolean;
}

export function TableView({ stream }: { readonly stream: LiveStream }) {
  const [sorting, setSorting] = useState<Sorting>({ by: '', isDescending: false });
  const [filter, setFilter] = useState('');
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const ordered = useTick(ORDER_MS);
  const frame = useRef<HTMLDivElement>(null);
  void stream.changed.value;
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 600));
    observer.observe(frame.current as HTMLElement);
    return () => observer.disconnect();
  }, []);
  const { size } = stream.entities;
  const columns = useMemo(
    () => frequentPaths([...stream.entities.values()].slice(0, SAMPLE)),
    [stream, Math.round(Math.log2(size + 1)), ordered % 10 === 0],
  );
  const rows = useMemo(
    () => sorted(stream, sorting, filter.trim().toLowerCase()),
    [stream, size, stream.leaving.size, sorting, filter, ordered],
  );
  const from = Math.max(0, Math.floor(top / ROW_PIXELS) - SPARE_ROWS);
  const to = Math.min(rows.length, Math.ceil((top + height) / ROW_PIXELS) + SPARE_ROWS);
  const heading = (by: string, text: string) => {
    const isBy = sorting.by === by;
    return (
      <th key={by} scope="col" aria-sort={isBy ? (sorting.isDescending ? 'descending' : 'ascending') : 'none'}>
        <button type="button" onClick={() => setSorting({ by, isDescending: isBy && !sorting.isDescending })}>
          {text}
          <span aria-hidden="true">{isBy ? (sorting.isDescending ? ' ↓' : ' ↑') : ''}</span>
        </button>
      </th>
    );
  };
  return (
    <div class="table-view">
      <div class="toolbar">
        <input
          type="search"
          placeholder="Filter by text"
          aria-label="Filter rows by text"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <span class="hint" aria-live="polite">
          {filter ? `${compactNumber(rows.length)} of ${compactNumber(size)}` : `${compactNumber(size)} entities`}
        </span>
      </div>
      <div
        class="table-frame"
        ref={frame}
        tabIndex={0}
        role="region"
        aria-label="Entities"
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      >
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr>
              {heading('', 'entity')}
              {heading('changed', 'changed')}
              {columns.map((path) => heading(path, pathLabel(path)))}
            </tr>
          </thead>
          <tbody>
            <tr class="spacer" style={{ height: `${from * ROW_PIXELS}px` }} aria-hidden="true" />
            {rows.slice(from, to).map((entity, index) => (
              <Row
                key={entity.iri}
                entity={entity}
                columns={columns}
                at={from + index}
                isLeaving={!stream.entities.has(entity.iri)}
              />
            ))}
            <tr class="spacer" style={{ height: `${(rows.length - to) * ROW_PIXELS}px` }} aria-hidden="true" />
          </tbody>
        </table>
        {rows.length === 0 && <p class="empty">{filter ? 'No row has that text.' : 'There are no entities yet.'}</p>}
      </div>
    </div>
  );
}

function Row({
  entity,
  columns,
  at,
  isLeaving,
}: {
  readonly entity: Entity;
  readonly columns: readonly string[];
  readonly at: number;
  readonly isLeaving: boolean;
}) {
  const { facts, versions } = entity;
  const flash = versions > 1 ? (versions % 2 === 0 ? 'flash-even' : 'flash-odd') : '';
  return (
    <tr aria-rowindex={at + 2} class={isLeaving ? 'leaving' : flash}>
      <th scope="row">
        <a href={viewHref('entity', { iri: entity.iri })}>{entity.label}</a>
      </th>
      <td>{age(Date.now() - Date.parse(entity.member.time))}</td>
      {columns.map((path) => (
        <td key={path} class={numberOf(facts.get(path)?.[0]) === undefined ? '' : 'number'}>
          {cellText(facts, path)}
        </td>
      ))}
    </tr>
  );
}

function cellText(facts: Facts, path: string): string {
  const terms = facts.get(path);
  return terms === undefined ? '' : termsText(terms);
}

function termsText(terms: readonly Term[]): string {
  if (terms.length > 1 && terms.every(({ termType }) => termType === 'BlankNode')) return `${terms.length} items`;
  return [...new Set(terms.map(termLabel))].slice(0, 4).join(', ');
}

/** The properties of a table: those that most entities have, no two that always say the same, and few that never differ. */
export function frequentPaths(entities: readonly Entity[]): string[] {
  const counts = new Map<string, number>();
  const values = new Map<string, Set<string>>();
  const instants = new Set<string>();
  for (const { facts, label } of entities) {
    for (const [path, [term]] of facts) {
      if (
        !term ||
        termLabel(term) === label ||
        (path === rdf.type && entities.length > 1 && facts.get(path)?.length === 1 && sharedType(entities, term.value))
      )
        continue;
      counts.set(path, (counts.get(path) ?? 0) + 1);
      values.set(path, (values.get(path) ?? new Set()).add(term.value));
      if (isInstant(term)) instants.add(path);
    }
  }
  const weight = (path: string) => {
    const distinct = values.get(path) as Set<string>;
    const isOneForAll = entities.length > 1 && distinct.size === 1;
    // References that nobody has a name for, each another one, are codes to a reader.
    const areCodes =
      distinct.size > entities.length / 2 &&
      [...distinct].every((value) => /^https?:/.test(value) && !knownLabels.has(value));
    const isTechnical = instants.has(path) || /identifier|sequence|instance|(?:^|[a-z])Id$/.test(localName(path));
    return (isOneForAll ? 0.3 : 1) * (areCodes ? 0.3 : 1) * (isTechnical ? 0.4 : 1);
  };
  return [...counts]
    .map(([path, count]) => [path, count * weight(path)] as const)
    .filter(([, weighed], _index, all) => weighed >= entities.length / 20 || all.length <= 3)
    .sort(([, a], [, b]) => b - a)
    .slice(0, LIMIT_COLUMNS)
    .map(([path]) => path);
}

const sharedType = (entities: readonly Entity[], type: string) =>
  entities.every(({ facts }) => facts.get(rdf.type)?.[0]?.value === type);

function sorted(stream: LiveStream, { by, isDescending }: Sorting, filter: string): Entity[] {
  const all = [
    ...stream.entities.values(),
    ...[...stream.leaving.values()].map(({ entity }) => entity).filter(({ iri }) => !stream.entities.has(iri)),
  ];
  const rows = filter === '' ? all : all.filter((entity) => entity.textOf(termsText).includes(filter));
  const valueIn = (entity: Entity): number | string => {
    if (by === '') return entity.label;
    if (by === 'changed') return -Date.parse(entity.member.time);
    return numberOf(entity.facts.get(by)?.[0]) ?? cellText(entity.facts, by);
  };
  const keyed = rows.map((entity) => [valueIn(entity), entity] as const);
  const direction = isDescending ? -1 : 1;
  return keyed.sort(([a], [b]) => direction * compared(a, b)).map(([, entity]) => entity);
}

const collator = new Intl.Collator(undefined, { numeric: true });

// What lacks a value goes to the end, whichever way the others go.
function compared(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1;
  return collator.compare(String(a), String(b));
}
