// A reader of the text exposition format of Prometheus, version 0.0.4, that takes nothing that the format does not have:
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details
import { expect } from 'vitest';

interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedMetric {
  readonly help: string;
  readonly type: string;
  readonly samples: ParsedSample[];
}

const HEAD = /^# HELP (\w+) (.*)\n# TYPE (\w+) (counter|gauge|histogram|summary|untyped)$/;
const SAMPLE = /^(\w+)(?:\{(.*)\})? (NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;

/** The metrics by name, in order; throws on what breaks the format, also on what breaks the rules of a histogram. */
export function parseMetrics(text: string): ReadonlyMap<string, ParsedMetric> {
  const metrics = new Map<string, ParsedMetric>();
  for (const block of text.split(/^(?=# HELP)/m)) {
    const lines = block.trimEnd().split('\n');
    const [, name = '', help = '', typed, type = ''] = HEAD.exec(lines.splice(0, 2).join('\n')) ?? [];
    expect([typed, metrics.has(name), block.endsWith('\n')], block).toEqual([name, false, true]);
    const samples = lines.map(parseSample);
    const keys = samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()]));
    expect([samples.length > 0, new Set(keys).size], name).toEqual([true, keys.length]);
    const part = type === 'histogram' ? '_(?:bucket|sum|count)' : '';
    for (const sample of samples) expect(sample.name).toMatch(new RegExp(`^${name}${part}$`));
    if (type === 'histogram') checkHistogram(samples);
    metrics.set(name, { help: unescaped(help), type, samples });
  }
  return metrics;
}

function parseSample(line: string): ParsedSample {
  const [, name = '', list = '', value = ''] = SAMPLE.exec(line) ?? [];
  expect(name, line).not.toBe('');
  const labels: Record<string, string> = {};
  for (let rest = list; rest !== ''; ) {
    const [whole, label = '', text = ''] = LABEL.exec(rest) ?? [];
    if (whole === undefined || Object.hasOwn(labels, label)) throw new Error(`${line} has malformed labels`);
    labels[label] = unescaped(text);
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: numberOf(value) };
}

/** Buckets rise to the count, by bounds that rise to infinity. */
function checkHistogram(samples: readonly ParsedSample[]): void {
  for (const stream of new Set(samples.map(({ labels }) => labels.stream))) {
    const valuesOf = (part: string) =>
      samples.filter(({ name, labels }) => name.endsWith(`_${part}`) && labels.stream === stream);
    const counts = valuesOf('bucket').map(({ value }) => value);
    const bounds = valuesOf('bucket').map(({ labels }) => numberOf(labels.le as string));
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    expect(bounds).toEqual([...new Set(bounds)].sort((one, other) => one - other));
    expect(bounds.at(-1)).toBe(Number.POSITIVE_INFINITY);
    expect(valuesOf('count').map(({ value }) => value)).toEqual([counts.at(-1)]);
    expect(valuesOf('sum')).toHaveLength(1);
  }
}

const numberOf = (text: string) => Number(text.replace('Inf', 'Infinity'));

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
