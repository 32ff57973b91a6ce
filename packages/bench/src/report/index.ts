export type { Spread } from '../spread.ts';
export { benchmarksMarkdown } from './benchmarks-md.ts';
export { type Drift, driftMarkdown, driftOf, greatestDrift } from './drift.ts';
export type {
  Axis,
  DensityFigure,
  DensitySeries,
  Figure,
  LinePoint,
  LineSeries,
  LinesFigure,
} from './figure.ts';
export { figureSvg } from './figure-svg.ts';
export { jsonText } from './json-text.ts';
export { readReports } from './read-report.ts';
export type { Cell, Report, Section, Table } from './report.ts';
export { reportHtml } from './report-html.ts';
export { type ReportSummary, summaryOf } from './summary-of.ts';
