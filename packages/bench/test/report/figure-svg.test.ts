import { expect, test } from 'vitest';
import type { Figure, LinesFigure } from '../../src/report/figure.ts';
import { figureSvg, inlineFigureSvg } from '../../src/report/figure-svg.ts';
import { LIGHT_THEME } from '../../src/report/figure-theme.ts';
import { seriesStyle } from '../../src/report/series-style.ts';
import { oddSection } from './sample-report.ts';

const SIZE = { width: 350, plotHeight: 200, margin: 0 };

function linesFigure(given: Partial<LinesFigure>): LinesFigure {
  return { id: 'a', kind: 'lines', title: 'A', x: { label: 'x' }, y: { label: 'y' }, series: [], ...given };
}

const FIGURES: readonly (readonly [string, Figure])[] = [
  ['no series', linesFigure({})],
  ['an empty series', linesFigure({ series: [{ name: 'a', points: [] }] })],
  ['one point', linesFigure({ series: [{ name: 'a', points: [{ x: 0, y: 0 }] }] })],
  ['points that are no numbers', linesFigure({ series: [{ name: 'a', points: [{ x: Number.NaN, y: Infinity }] }] })],
  [
    'zero on logarithmic axes',
    linesFigure({
      x: { label: 'x', scale: 'log' },
      y: { label: 'y', scale: 'log' },
      series: [
        {
          name: 'a',
          points: [
            { x: 0, y: 1 },
            { x: 1, y: 0 },
            { x: 10, y: 5, low: 0, high: 7 },
          ],
        },
      ],
      marks: [{ axis: 'x', at: 0, label: 'nowhere' }],
    }),
  ],
  [
    'very many series of very many points',
    linesFigure({
      series: Array.from({ length: 60 }, (_, series) => ({
        name: `series ${series}`,
        points: Array.from({ length: 100 }, (_, x) => ({ x, y: x * series, low: x, high: x * series * 2 })),
      })),
    }),
  ],
  [
    'a distribution of nothing',
    { ...linesFigure({}), kind: 'density', series: [{ name: 'a', edges: [0, 1], counts: [0] }] },
  ],
];

test.each(FIGURES)('%s is drawn without a place that is no number', (_, figure) => {
  for (const svg of [figureSvg(figure), inlineFigureSvg(figure, 'id', SIZE)]) {
    expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n?$/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  }
});

test('a file has all its colours, and a figure in a page those of the page', () => {
  const figure = linesFigure({ series: [{ name: 'a', points: [{ x: 1, y: 1 }] }] });
  expect(figureSvg(figure)).not.toContain('var(');
  expect(inlineFigureSvg(figure, 'id', SIZE)).toContain('var(--series-0)');
});

test('least and greatest are whiskers beside few points, and a band beside many', () => {
  const points = (count: number) => Array.from({ length: count }, (_, x) => ({ x, y: x, low: x - 0.5, high: x + 0.5 }));
  const drawn = (count: number) => figureSvg(linesFigure({ series: [{ name: 'a', points: points(count) }] }));
  expect([drawn(3).includes('fill-opacity'), drawn(50).includes('fill-opacity')]).toEqual([false, true]);
});

test('a dashed series has gaps, others are whole', () => {
  const drawn = (isDashed: boolean) =>
    figureSvg(
      linesFigure({
        series: [
          {
            name: 'a',
            isDashed,
            points: [
              { x: 1, y: 1 },
              { x: 2, y: 2 },
            ],
          },
        ],
      }),
    );
  expect([drawn(true).includes('stroke-dasharray'), drawn(false).includes('stroke-dasharray')]).toEqual([true, false]);
});

test('no two of 49 series look alike', () => {
  const looks = Array.from({ length: 49 }, (_, index) => {
    const line = seriesStyle(index, 'lines', LIGHT_THEME);
    return [`${line.colour} ${line.marker(0, 0)}`, `${line.colour} ${seriesStyle(index, 'density', LIGHT_THEME).dash}`];
  });
  expect(new Set(looks.map(([line]) => line)).size).toBe(49);
  expect(new Set(looks.map(([, density]) => density)).size).toBe(49);
});

test('names are escaped in all places, and a figure says what it shows', () => {
  for (const figure of oddSection().figures ?? []) {
    const svg = figureSvg(figure);
    expect(svg).not.toContain('<x>');
    const kept = svg.match(/\w+(?= &lt;x&gt;&amp;&quot;&#39;)/g);
    expect(kept).toEqual(
      expect.arrayContaining([
        'x',
        'y',
        ...(figure.kind === 'lines' ? ['lines', 'line', 'upright', 'across'] : ['density', 'bins']),
      ]),
    );
    expect(svg).toContain('role="img"');
    expect(svg).toMatch(/<desc id="words">.+<\/desc>/);
  }
});
