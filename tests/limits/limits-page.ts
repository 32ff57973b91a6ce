/*
 * specs/limits.md: the limits as they are listed, and what the worst within each takes, as it was measured.
 *
 *   limitsPage(LIMITS, measured, about) -> Markdown; measuredIn(page) -> what of it was measured, by name
 */
import type { Limit } from './limits.ts';
import type { Taken } from './product.ts';
import type { Worst } from './worst.ts';

/** What no default may be over. */
const BOUNDS = { peakMib: 512, holdCpuMs: 200 } as const;

/** A row of the table of what was measured, by the name of the worst. */
export type Measured = Readonly<Record<string, string>>;

const COLUMNS = [
  'name',
  'what',
  'memory, MiB',
  'longest hold, ms',
  'CPU time, s',
  'time, s',
  'repeats',
  'past a bound',
];

/** The row of what was measured several times: medians, with the least and the most. */
export function measuredRow(name: string, { title }: Pick<Worst, 'title'>, all: readonly Taken[]): string {
  const spread = (figure: keyof Taken, per = 1, digits = 0) => {
    const sorted = all.map((taken) => taken[figure] / per).sort((left, right) => left - right);
    const [least, middle, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)] as number[];
    if (Number.isNaN(middle)) return '-';
    if (all.length === 1) return `${middle?.toFixed(digits)}`;
    return `${middle?.toFixed(digits)} (${least?.toFixed(digits)}-${most?.toFixed(digits)})`;
  };
  const median = (figure: keyof Taken) =>
    [...all].sort((left, right) => left[figure] - right[figure])[Math.floor(all.length / 2)]?.[figure] ?? 0;
  const past = [
    ...(median('peakMib') > BOUNDS.peakMib ? ['**memory**'] : []),
    ...(median('holdCpuMs') > BOUNDS.holdCpuMs ? ['**hold**'] : []),
  ];
  const cells = [
    name,
    title,
    spread('peakMib'),
    spread('holdCpuMs'),
    spread('cpuMs', 1000, 1),
    spread('tookMs', 1000, 1),
    String(all.length),
  ];
  return row([...cells, past.join(' and ')]);
}

const HEAD = `# Limits

What the server, the client and the command take of others is limited. This page has all limits, their defaults, and what the
worst within them takes. It is made by \`npm run limits\`, which measures that anew. The bounds are ${BOUNDS.peakMib} MiB of
memory and ${BOUNDS.holdCpuMs} ms in which the event loop does nothing else. What is past a bound is marked.

- **Past it** is the code of an [error](errors.md), or what happens instead.
- **Rule** is the requirement, or the page that explains the limit.
- **Worst** is the name of what was measured. A limit without it bounds a time or a count that takes nothing by itself.
`;

const MEASURED = `## What was measured

The command runs as a process of its own, and takes what is named. Memory is anonymous memory (\`RssAnon\`) at its peak, above
that before. A hold is the longest CPU time of the main thread from one look at its timers to the next. The figures are
medians, with the least and the most in brackets.
`;

/** The page. */
export function limitsPage(limits: readonly Limit[], measured: Measured, about: string): string {
  const inputs = [...new Set(limits.map(({ input }) => input))];
  const sections = inputs.map((input) => {
    const rows = limits.filter((limit) => limit.input === input).map(limitRow);
    return `### ${input.charAt(0).toUpperCase()}${input.slice(1)}\n\n${table(['limit', 'default', 'past it', 'rule', 'worst'], rows)}\n`;
  });
  const used = [...new Set(limits.flatMap(({ worst }) => worst ?? []))].map(
    (name) => measured[name] ?? row([name, ...COLUMNS.slice(1).map(() => '-')]),
  );
  const others = Object.entries(measured).filter(([name]) => !limits.some(({ worst }) => worst === name));
  const rows = [...used, ...others.map(([, text]) => text)];
  return [HEAD, '## The limits\n', ...sections, MEASURED, `${about}\n`, `${table(COLUMNS, rows)}\n`].join('\n');
}

/** The row of a limit, as it stands on the page. */
export function limitRow({ limit, default: value, past, rule, worst }: Limit): string {
  const name = /\s/.test(limit) ? limit : `\`${limit}\``;
  const code = past.startsWith('ERR_') ? `[${past}](errors.md#${past.toLowerCase()})` : past;
  const page = rule.endsWith('.md') ? `[${rule}](${rule})` : rule;
  return row([name, String(value), code, page, worst ?? '-']);
}

/** What a page has measured, by name. */
export function measuredIn(page: string): Measured {
  const rows = page.slice(page.indexOf(MEASURED.split('\n', 1)[0] as string)).match(/^\| .* \|$/gm) ?? [];
  return Object.fromEntries(
    rows.slice(2).map((text) => [text.slice(2).split(' | ', 1)[0]?.trim() as string, text.replaceAll(/ +/g, ' ')]),
  );
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function table(head: readonly string[], rows: readonly string[]): string {
  return [row(head), row(head.map(() => '---')), ...rows].join('\n');
}
