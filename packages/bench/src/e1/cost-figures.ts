import type { LineSeries, LinesFigure } from '../report/figure.ts';
import type { Spread } from '../spread.ts';
import type { CellSummary } from './summarize-cells.ts';

const MIB = 1024 ** 2;

/** Polling and pushing by themselves: all ways in one figure are too many to be told apart. */
const GROUPS = [
  { id: 'polling', name: 'polling', isPushed: false },
  { id: 'sse', name: 'SSE', isPushed: true },
] as const;

/** CPU time against clients, of all ways. */
export function cpuFigures(cells: readonly CellSummary[], everyMs: number): readonly LinesFigure[] {
  return GROUPS.map(({ id, name, isPushed }) => ({
    kind: 'lines',
    id: `e1-cpu-${id}`,
    title: `CPU of the server and what stands before it, ${name} (figure 4.1 of the article)`,
    x: { label: 'Clients', scale: 'log' },
    y: { label: `% of a core, an update every ${everyMs / 1000} s`, scale: 'log' },
    series: linesOf(groupOf(cells, isPushed), (cell) => cell.cpuShare, 100),
  }));
}

/** Memory against clients, of all ways. */
export function memoryFigures(cells: readonly CellSummary[]): readonly LinesFigure[] {
  return GROUPS.map(({ id, name, isPushed }) => ({
    kind: 'lines',
    id: `e1-memory-${id}`,
    title: `Memory of the server and what stands before it, ${name} (figure 4.2 of the article)`,
    x: { label: 'Clients', scale: 'log' },
    y: { label: 'Resident memory, MiB', scale: 'log' },
    series: linesOf(groupOf(cells, isPushed), (cell) => cell.residentBytes, 1 / MIB),
  }));
}

function groupOf(cells: readonly CellSummary[], isPushed: boolean): readonly CellSummary[] {
  return cells.filter(({ way }) => (way.kind === 'sse') === isPushed);
}

function linesOf(
  cells: readonly CellSummary[],
  figure: (cell: CellSummary) => Spread | undefined,
  unit: number,
): readonly LineSeries[] {
  const ways = [...new Map(cells.map(({ way }) => [way.id, way])).values()];
  return ways.flatMap((way) => {
    const points = cells.flatMap((cell) => {
      const value = cell.way.id === way.id ? figure(cell) : undefined;
      if (!value) return [];
      const { median, min, max } = value;
      return [{ x: cell.clients, y: median * unit, low: min * unit, high: max * unit }];
    });
    return points.length === 0 ? [] : [{ name: way.name, points }];
  });
}
