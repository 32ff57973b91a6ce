import type { Figure } from '../src/report/figure.ts';
import type { Report, Section } from '../src/report/report.ts';

/** The spread of three repeats around a median. */
export function spreadOf(median: number) {
  return { median, min: median * 0.9, max: median * 1.1, repeats: 3 };
}

/** A small report of the experiment `e9`; what a test is about is given. */
export function sampleReport(given: Partial<Report> = {}): Report {
  return {
    experiment: 'e9',
    title: 'A title',
    about: 'What was done.',
    startedAt: '2026-11-22T01:00:00.000Z',
    tookSeconds: 90,
    isQuick: false,
    seed: 1,
    machine: { cpu: 'Some CPU', cores: 2, memoryGib: 8, platform: 'Linux 6 x64', node: 'v20.19.0', pinned: true },
    versions: { 'ldes-live': '0.1.0' },
    workload: { clients: [100, 25_000], updateIntervalMs: 5000 },
    repeats: 3,
    warnings: [],
    sections: [],
    ratios: {},
    histograms: {},
    data: {},
    ...given,
  };
}

/** A report with the ratios of these medians. */
export function withRatios(medians: Readonly<Record<string, number>>): Report {
  return sampleReport({
    ratios: Object.fromEntries(Object.entries(medians).map(([name, median]) => [name, spreadOf(median)])),
  });
}

/** A section whose every name would be markup if it were not escaped: each has `<x>&"'` in it. */
export function oddSection(): Section {
  const odd = (name: string) => `${name} <x>&"'`;
  const axes = { x: { label: odd('x') }, y: { label: odd('y') } };
  const figures: Figure[] = [
    {
      ...axes,
      id: 'lines',
      kind: 'lines',
      title: odd('lines'),
      series: [{ name: odd('line'), points: [{ x: 1, y: 2 }] }],
      marks: [
        { axis: 'x', at: 1, label: odd('upright') },
        { axis: 'y', at: 1, label: odd('across') },
      ],
    },
    {
      ...axes,
      id: 'density',
      kind: 'density',
      title: odd('density'),
      series: [{ name: odd('bins'), edges: [0, 1], counts: [1] }],
    },
  ];
  return {
    title: odd('section'),
    text: [odd('text')],
    figures,
    tables: [{ caption: odd('caption'), columns: [odd('first'), odd('second')], rows: [[odd('row'), odd('cell')]] }],
    preformatted: odd('fixed'),
  };
}
