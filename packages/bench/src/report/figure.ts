/** A drawing of a report. */
export type Figure = DensityFigure | LinesFigure;

interface FigureFrame {
  /** Stable, of small letters, digits and hyphens: the name of its file. */
  readonly id: string;
  /** What it shows, with the number of the published figure it stands beside, if any. */
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
}

/** An axis, with its unit in the label. */
export interface Axis {
  readonly label: string;
  /** @defaultValue 'linear' */
  readonly scale?: 'linear' | 'log';
}

/** How values are distributed: a line for each series whose area is 1. */
export interface DensityFigure extends FigureFrame {
  readonly kind: 'density';
  readonly series: readonly DensitySeries[];
}

/** Values of a series as a histogram: counts of bins that touch each other. */
export interface DensitySeries {
  readonly name: string;
  /** Edges of the bins, ascending, in units of the x axis: one more than there are counts. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

/** Lines through points, each with its spread. */
export interface LinesFigure extends FigureFrame {
  readonly kind: 'lines';
  readonly series: readonly LineSeries[];
  /** Lines across, such as a bar or a crossing, with their labels. */
  readonly marks?: readonly { readonly axis: 'x' | 'y'; readonly at: number; readonly label: string }[];
}

export interface LineSeries {
  readonly name: string;
  readonly points: readonly LinePoint[];
  /** Drawn with gaps: what was published, or follows from a formula. */
  readonly isDashed?: boolean;
}

export interface LinePoint {
  readonly x: number;
  readonly y: number;
  /** Least and greatest of the repeats. */
  readonly low?: number;
  readonly high?: number;
}
