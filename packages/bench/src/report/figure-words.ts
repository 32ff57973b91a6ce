import type { Figure } from './figure.ts';
import { numberText } from './number-text.ts';

/** What a figure shows, for those who do not see it: its axes, and where each line begins and ends or how much it counts. */
export function figureWords(figure: Figure): string {
  const axes = `${figure.x.label} against ${figure.y.label}.`;
  const series = figure.kind === 'density' ? figure.series.map(densityWords) : figure.series.map(lineWords);
  const marks =
    figure.kind === 'lines'
      ? (figure.marks ?? []).map(({ axis, at, label }) => `${label}: ${axis} ${numberText(at)}`)
      : [];
  return [axes, ...[...series, ...marks].map((words) => `${words}.`)].join(' ');
}

function densityWords({
  name,
  edges,
  counts,
}: {
  name: string;
  edges: readonly number[];
  counts: readonly number[];
}): string {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return `${name}: nothing was counted`;
  const fullest = counts.indexOf(Math.max(...counts));
  const range = `${numberText(edges[fullest] as number)} to ${numberText(edges[fullest + 1] as number)}`;
  return `${name}: ${numberText(total)} values, most of them from ${range}`;
}

function lineWords({ name, points }: { name: string; points: readonly { x: number; y: number }[] }): string {
  const ordered = [...points].sort((left, right) => left.x - right.x);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (first === undefined || last === undefined) return `${name}: no points`;
  const at = ({ x, y }: { x: number; y: number }) => `${numberText(y)} at ${numberText(x)}`;
  return ordered.length === 1 ? `${name}: ${at(first)}` : `${name}: from ${at(first)} to ${at(last)}`;
}
