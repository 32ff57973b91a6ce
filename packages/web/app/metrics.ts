// The text that `/metrics` gives, read: `name{stream="vehicles"} 42` -> { name, labels: { stream: 'vehicles' }, value: 42 }.
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})? (\S+)/;

export function readMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(/(?<!\w)(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** The sum of a metric over all samples with these labels. */
export function total(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels);
  return samples
    .filter((sample) => sample.name === name && wanted.every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
