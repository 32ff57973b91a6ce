import type { MalSize } from './client-plan.ts';
import type { MalResult, MalRow } from './measure-mal.ts';

const HEAD = [
  'MAL',
  'mode',
  'p50 lag',
  'p99 lag',
  'requests a minute',
  'KiB a minute',
  'server CPU a minute',
  'misses',
] as const;

/** What each MAL brings and costs: a table in Markdown. */
export function malText({ stream, rows, idleCpuMsPerMinute }: MalResult, plan: MalSize): string[] {
  return [
    '',
    `\`${stream}\` of the demonstration, ${plan.clients} clients for ${plan.durationMs / 1000} s at each MAL, straight; for one client:`,
    '',
    ...markdownTable([HEAD, ...rows.map(cells)]),
    '',
    `Server CPU is what clients add to the ${Math.round(idleCpuMsPerMinute)} ms a minute that the server takes without them.`,
  ];
}

function cells(row: MalRow): readonly string[] {
  const { malSeconds, modes, delivered, misses, told } = row;
  const mode = Object.entries(modes).filter(([, clients]) => clients > 0);
  return [
    `${malSeconds} s`,
    mode.length === 1 ? (mode[0]?.[0] as string) : mode.map(([name, clients]) => `${name} ${clients}`).join(', '),
    `${Math.round(row.p50Ms)} ms`,
    `${Math.round(row.p99Ms)} ms`,
    row.requests.toFixed(2),
    (row.wireBytes / 1024).toFixed(1),
    `${row.serverCpuMs.toFixed(1)} ms`,
    misses === told ? `${misses} of ${delivered}` : `${misses} of ${delivered}, ${told} told`,
  ];
}

/** Rows as the formatter of the specifications has them: cells of one width. */
function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, column) => text.padEnd(widths[column] as number)).join(' | ')} |`;
  const [head = [], ...others] = rows;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...others.map(line)];
}
