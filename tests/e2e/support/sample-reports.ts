import type { Report } from '@ldes-live/bench/report';

const SERVERS = ['Express, straight', 'Express behind nginx', 'ldes-live', 'ldes-live behind Varnish'];
const CLIENTS = [100, 1000, 5000, 10_000, 25_000];

/** Two reports with all that a report may have, one of them with names that would be markup if they were not escaped. */
export function sampleReports(): readonly Report[] {
  const machine = {
    cpu: 'Some CPU @ 2.4 GHz',
    cores: 2,
    memoryGib: 8,
    platform: 'Linux 6 x64',
    node: 'v20.19.0',
    pinned: true,
  };
  const run = {
    startedAt: '2026-11-22T01:00:00.000Z',
    tookSeconds: 5025,
    seed: 7,
    machine,
    versions: { 'ldes-live': '0.1.0', express: '5.3.0', nginx: '1.22.1', varnish: '7.1.1' },
    workload: { clients: CLIENTS, updateIntervalMs: 5000, payloadBytes: 5200, durationSeconds: 60 },
    repeats: 3,
    data: {},
  };
  return [
    {
      ...run,
      experiment: 'e1',
      title: 'Polling beside Server-Sent Events for live data',
      about: 'Clients poll one document of 5.2 kB, straight and through caches, or are pushed its updates.',
      source: 'https://brechtvdv.github.io/Article-Live-Open-Data-Interfaces/',
      isQuick: false,
      warnings: ['The load was saturated at 25,000 clients: delays of Express there are its own, and refused.'],
      sections: [densities(), growth(), wide()],
      ratios: {
        'cpu of ldes-live / Express, SSE, 1000 clients': spreadAround(0.43),
        'p99, 5000 clients': spreadAround(0.2),
      },
      histograms: { 'express sse, 1000 clients': { max: 900, counts: [3, 5, 200, 2, 400, 1] } },
    },
    {
      ...run,
      experiment: 'odd',
      title: 'Names of <b>"bold" & \'quoted\'</b> things',
      about: 'A text with <script>alert(1)</script> & more.',
      isQuick: true,
      warnings: ['<img src=x onerror=alert(1)> & others'],
      sections: [odd()],
      ratios: { 'a < b & c': spreadAround(1) },
      histograms: {},
    },
  ];
}

function densities(): Report['sections'][number] {
  const edges = Array.from({ length: 101 }, (_, index) => index * 50);
  return {
    title: 'Delay on the client',
    text: [
      'Each line is all deliveries of three repeats. The delay counts from the instant that an update was scheduled for.',
    ],
    figures: [
      {
        id: 'polling',
        kind: 'density',
        title: 'Delay of polling without a cache (as figure 2)',
        x: { label: 'delay on the client, ms' },
        y: { label: 'density, 1/ms' },
        series: CLIENTS.map((clients, index) => ({
          name: `${clients.toLocaleString('en-GB')} clients`,
          edges,
          counts: edges
            .slice(1)
            .map((edge) =>
              Math.round(1e5 * Math.exp(-((edge - 400 - index * 700) ** 2) / (2 * (220 + index * 190) ** 2))),
            ),
        })),
      },
      {
        id: 'log',
        kind: 'density',
        title: 'The same on a logarithmic axis',
        x: { label: 'delay on the client, ms', scale: 'log' },
        y: { label: 'density for each factor of ten' },
        series: [
          {
            name: 'SSE',
            edges: Array.from({ length: 41 }, (_, index) => 10 ** (index / 10)),
            counts: Array.from({ length: 40 }, (_, index) => Math.round(1000 * Math.exp(-((index - 12) ** 2) / 30))),
          },
          { name: 'nothing', edges: [0, 1, 2], counts: [0, 0] },
        ],
      },
    ],
  };
}

function growth(): Report['sections'][number] {
  return {
    title: 'CPU time against clients',
    text: [
      'Push needs less from some 100 clients on.',
      'The published figures are of another machine: what compares is their shape.',
    ],
    figures: [
      {
        id: 'cpu',
        kind: 'lines',
        title: 'CPU time of the server (as figure 4.1)',
        x: { label: 'clients', scale: 'log' },
        y: { label: 'share of a core, %' },
        series: [
          ...SERVERS.map((name, index) => ({
            name,
            points: CLIENTS.map((x) => {
              const y = Math.min(100, (x / 250) * (1 - index * 0.22));
              return { x, y, low: y * 0.9, high: y * 1.12 };
            }),
          })),
          { name: 'published, Express', isDashed: true, points: CLIENTS.map((x) => ({ x, y: Math.min(100, x / 90) })) },
        ],
        marks: [
          { axis: 'y', at: 80, label: 'a load of 80 % is refused' },
          { axis: 'x', at: 12_600, label: 'pull and push cross: 12,600 clients' },
        ],
      },
    ],
    tables: [
      {
        caption: 'CPU time, share of a core in %',
        columns: ['Clients', ...SERVERS, 'Published'],
        rows: CLIENTS.map((clients) => [
          clients,
          ...SERVERS.map((_, index) => spreadAround((clients / 250) * (1 - index * 0.22))),
          undefined,
        ]),
      },
    ],
  };
}

function wide(): Report['sections'][number] {
  return {
    title: 'All of it',
    text: [],
    tables: [
      {
        caption: 'A wide table, which scrolls in its own box',
        columns: ['Server', ...Array.from({ length: 14 }, (_, index) => `p${index} of all delays, ms`)],
        rows: SERVERS.map((name, row) => [
          name,
          ...Array.from({ length: 14 }, (_, index) => spreadAround((row + 1) * index * 17.3)),
        ]),
      },
    ],
    preformatted: `users / MAL = requests per second\n${'a line of fixed width that is longer than a page '.repeat(5)}`,
  };
}

function odd(): Report['sections'][number] {
  return {
    title: 'A <section> & its parts',
    text: ['Text with <i>tags</i>.'],
    figures: [
      {
        id: 'odd',
        kind: 'lines',
        title: 'A <figure> & "its" title',
        x: { label: 'x < y & z', scale: 'log' },
        y: { label: '<y>' },
        series: [
          { name: '<b>one</b> & point', points: [{ x: 3, y: 4 }] },
          {
            name: 'with a value that no logarithm has',
            points: [
              { x: 0, y: 1 },
              { x: 10, y: 2 },
            ],
          },
          { name: 'empty', points: [] },
          ...Array.from({ length: 12 }, (_, index) => ({
            name: `series ${index} of many`,
            points: [
              { x: 1, y: index },
              { x: 100, y: index * 2 },
            ],
          })),
        ],
        marks: [{ axis: 'x', at: 50, label: '<mark> & its label' }],
      },
    ],
    tables: [
      {
        caption: 'A <table> & more',
        columns: ['<name>', 'a & b'],
        rows: [
          ['<td>', 'x > "y"'],
          [undefined, 3],
        ],
      },
    ],
    preformatted: '<pre> & more',
  };
}

function spreadAround(median: number) {
  return { median, min: median * 0.913, max: median * 1.127, repeats: 3 };
}
