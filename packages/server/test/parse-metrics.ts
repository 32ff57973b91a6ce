// A reader of the text exposition format of Prometheus, version 0.0.4, that takes nothing that the format does not have:
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details

export interface ParsedMetric {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HELP = new RegExp(`^# HELP (${NAME}) (.*)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;
const VALUE = /^(?:NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** The metrics by name, in order; throws on what breaks the format, also on what breaks the rules of a histogram. */
export function parseMetrics(text: string): ReadonlyMap<string, ParsedMetric> {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line does not end');
  const metrics = new Map<string, { help: string; type: string; samples: ParsedSample[] }>();
  let helped: { name: string; help: string } | undefined;
  let current: { name: string; type: string; samples: ParsedSample[] } | undefined;
  for (const line of text.split('\n').slice(0, -1)) {
    if (line === '') continue;
    const help = HELP.exec(line);
    const type = TYPE.exec(line);
    if (help) {
      helped = { name: help[1] as string, help: unescaped(help[2] as string) };
    } else if (type) {
      const name = type[1] as string;
      if (helped?.name !== name) throw new Error(`${name} has no help before its type`);
      if (metrics.has(name)) throw new Error(`${name} stands twice`);
      const metric = { name, help: helped.help, type: type[2] as string, samples: [] };
      metrics.set(name, metric);
      current = metric;
    } else {
      const sample = parseSample(line);
      if (!current || baseName(sample.name, current.type) !== current.name) throw new Error(`${line} has no type`);
      current.samples.push(sample);
    }
  }
  for (const [name, { type, samples }] of metrics) {
    if (samples.length === 0) throw new Error(`${name} has no samples`);
    const keys = samples.map((sample) => JSON.stringify([sample.name, Object.entries(sample.labels).sort()]));
    if (new Set(keys).size !== keys.length) throw new Error(`${name} has a sample twice`);
    if (type === 'histogram') checkHistogram(name, samples);
  }
  return metrics;
}

function parseSample(line: string): ParsedSample {
  const [, name, list = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined || !VALUE.test(value)) throw new Error(`${line} is no sample`);
  const labels: Record<string, string> = {};
  for (let rest = list; rest !== ''; ) {
    const [whole, label, text] = LABEL.exec(rest) ?? [];
    if (whole === undefined) throw new Error(`${line} has malformed labels`);
    if (Object.hasOwn(labels, label as string)) throw new Error(`${line} has a label twice`);
    labels[label as string] = unescaped(text as string);
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function baseName(name: string, type: string): string {
  return type === 'histogram' ? name.replace(/_(?:bucket|sum|count)$/, '') : name;
}

function checkHistogram(name: string, samples: readonly ParsedSample[]): void {
  const series = new Map<string, ParsedSample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const parts of series.values()) {
    const buckets = parts.filter((part) => part.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
    const rises = (values: readonly number[], strictly: boolean) =>
      values.every((value, index) => {
        const before = values[index - 1];
        return before === undefined || (strictly ? value > before : value >= before);
      });
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || !rises(bounds, true)) throw new Error(`${name}: bounds`);
    const counts = buckets.map(({ value }) => value);
    if (!rises(counts, false)) throw new Error(`${name}: buckets are not cumulative`);
    const count = parts.filter((part) => part.name === `${name}_count`);
    const sum = parts.filter((part) => part.name === `${name}_sum`);
    if (count.length !== 1 || sum.length !== 1) throw new Error(`${name}: one sum and one count`);
    if (count[0]?.value !== counts.at(-1)) throw new Error(`${name}: the count is that of the last bucket`);
  }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
