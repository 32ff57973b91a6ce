import { expect, test } from 'vitest';
import { DARK_THEME, type FigureTheme, LIGHT_THEME } from '../../src/report/figure-theme.ts';
import type { Report } from '../../src/report/report.ts';
import { reportHtml } from '../../src/report/report-html.ts';
import { oddSection, sampleReport, spreadOf } from './sample-report.ts';

const ODD = `<x>&"'`;

function oddReport(): Report {
  return sampleReport({
    experiment: `experiment ${ODD}`,
    title: `title ${ODD}`,
    about: `about ${ODD}`,
    source: `https://example.org/${ODD}`,
    machine: { ...sampleReport().machine, cpu: `cpu ${ODD}` },
    versions: { [`version ${ODD}`]: ODD },
    workload: { [`workload ${ODD}`]: ODD },
    warnings: [`warning ${ODD}`],
    sections: [oddSection()],
    ratios: { [`ratio ${ODD}`]: spreadOf(1) },
  });
}

test('names are escaped in all places', () => {
  for (const page of [reportHtml([oddReport()]), reportHtml([oddReport(), oddReport()])]) {
    expect(page).not.toContain('<x>');
    expect(page).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
    for (const name of [
      'experiment',
      'title',
      'about',
      'cpu',
      'version',
      'workload',
      'warning',
      'ratio',
      'section',
      'text',
      'caption',
      'first',
      'second',
      'row',
      'cell',
      'fixed',
      'lines',
      'density',
    ]) {
      expect(page).toContain(`${name} &lt;x&gt;&amp;&quot;&#39;`);
    }
  }
});

test('a page needs nothing else: neither scripts nor addresses but links', () => {
  const page = reportHtml([oddReport()]);
  expect(page).not.toMatch(/<script|@import|url\(|src=/);
  expect(page.match(/(?<!xmlns|<a href)="https?:[^"]*/g)).toBeNull();
});

test('no two parts have one id, and every reference has its part', () => {
  const page = reportHtml([oddReport(), oddReport()]);
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const referred = [...page.matchAll(/(?:aria-labelledby="|href="#)([^"]*)"/g)].flatMap(
    ([, text]) => text?.split(' ') ?? [],
  );
  expect(referred.filter((id) => !ids.includes(id))).toEqual([]);
});

test('several reports have a list of contents, one has its title as that of the page', () => {
  const several = reportHtml([sampleReport({ title: 'One' }), sampleReport({ title: 'Two', warnings: ['a', 'b'] })]);
  expect(several).toContain('<h1>Benchmarks of ldes-live</h1>');
  expect(several).toContain('<h2>Two</h2>');
  expect(several).toContain('2 warnings');
  const one = reportHtml([sampleReport({ title: 'One' })]);
  expect(one).toContain('<h1>One</h1>');
  expect(one).not.toContain('<nav');
  expect(one).toContain('<html lang="en">');
});

test('a quick run says first that there is nothing to quote', () => {
  const page = reportHtml([sampleReport({ isQuick: true, warnings: ['another'] })]);
  expect(page).toMatch(/<ul><li>Quick: [^<]*nothing to quote\.<\/li><li>another<\/li><\/ul>/);
  expect(reportHtml([sampleReport()])).not.toContain('Quick');
});

test('a table has its headers with their scope, and medians with their range', () => {
  const table = {
    caption: 'C',
    columns: ['Clients', 'CPU', 'Note'],
    rows: [
      [25_000, spreadOf(12.5), 'x'],
      [1, undefined, 'y'],
    ],
  };
  const page = reportHtml([sampleReport({ sections: [{ title: 'S', text: [], tables: [table] }] })]);
  expect(page).toContain('<th scope="col" class="number">CPU</th><th scope="col">Note</th>');
  expect(page).toContain(
    '<th scope="row">25,000</th><td class="number">12.5 <span class="range">[11.3–13.8]</span></td>',
  );
  expect(page).toContain('<td class="number">–</td>');
});

test('what stands between backticks is code in all texts, and no markup', () => {
  const table = { caption: 'Of `c`', columns: ['`d`', 'e'], rows: [['`f`', 'g `h`']] };
  const page = reportHtml([
    sampleReport({
      about: 'A `b`.',
      warnings: ['`w`'],
      sections: [{ title: 'S', text: ['`<x>&` and `'], tables: [table] }],
    }),
  ]);
  for (const code of ['b', 'c', 'd', 'f', 'h', 'w', '&lt;x&gt;&amp;']) expect(page).toContain(`<code>${code}</code>`);
  expect(page).toContain('</code> and `</p>');
});

test('a table that scrolls has a shadow where there is more', () => {
  expect(reportHtml([])).toMatch(/\.table>\.scroll\{background:[^}]*local,[^}]*var\(--shade\)/);
});

test.each([
  ['light', LIGHT_THEME],
  ['dark', DARK_THEME],
])('text and lines stand out from a %s ground', (_, theme: FigureTheme) => {
  for (const text of [theme.ink, theme.muted]) expect(contrast(text, theme.ground)).toBeGreaterThan(4.5);
  for (const series of theme.series) expect(contrast(series, theme.ground)).toBeGreaterThan(4.5);
});

/** The contrast of two colours as WCAG 2 has it, in [1, 21]. */
function contrast(left: string, right: string): number {
  const [dark, light] = [luminance(left), luminance(right)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
