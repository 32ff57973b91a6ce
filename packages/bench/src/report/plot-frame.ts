import type { Axis } from './figure.ts';
import { type Scale, scaleOf } from './figure-scale.ts';
import type { FigureTheme } from './figure-theme.ts';
import { charactersIn, LINE_HEIGHT, lineSvg, px, textSvg, widthOfNumber } from './svg-parts.ts';
import { tickText } from './tick-text.ts';
import { wrapText } from './wrap-text.ts';

const BETWEEN_Y_TICKS = 46;
const BETWEEN_X_TICKS = 62;
const BESIDE_TICK_TEXT = 8;
const BELOW_TICKS = 20;
const RIGHT = 28;

/** Where a figure's series are drawn. */
export interface Plot {
  readonly x: Scale;
  readonly y: Scale;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The values that a figure has to show on its axes. */
export interface PlotValues {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** Axes with ticks, a grid and labels: the y label above, the x label below. */
export function plotFrame(
  { x: xAxis, y: yAxis }: { readonly x: Axis; readonly y: Axis },
  values: PlotValues,
  area: { readonly width: number; readonly top: number; readonly plotHeight: number },
  theme: FigureTheme,
): { readonly plot: Plot; readonly svg: string; readonly bottom: number } {
  const yLabel = wrapText(`↑ ${yAxis.label}`, charactersIn(area.width));
  const xLabel = wrapText(`${xAxis.label} →`, charactersIn(area.width));
  const top = area.top + yLabel.length * LINE_HEIGHT + 10;
  const bottom = top + area.plotHeight;
  const y = scaleOf(yAxis, values.y, { from: bottom, to: top, ticks: area.plotHeight / BETWEEN_Y_TICKS });
  const left = Math.max(...y.ticks.map((tick) => widthOfNumber(tickText(tick)))) + BESIDE_TICK_TEXT;
  const right = area.width - RIGHT;
  const x = scaleOf(xAxis, values.x, { from: left, to: right, ticks: (right - left) / BETWEEN_X_TICKS });
  const plot: Plot = { x, y, left, right, top, bottom };
  const muted = { fill: theme.muted };
  const labels = [
    ...yLabel.map((line, index) => textSvg(0, area.top + 12 + index * LINE_HEIGHT, line, muted)),
    ...xLabel.map((line, index) =>
      textSvg(right, bottom + BELOW_TICKS + (index + 1) * LINE_HEIGHT + 2, line, { ...muted, anchor: 'end' }),
    ),
  ];
  return {
    plot,
    svg: [...xTicks(plot, theme), ...yTicks(plot, theme), ...labels].join(''),
    bottom: bottom + BELOW_TICKS + xLabel.length * LINE_HEIGHT + 8,
  };
}

function yTicks({ y, left, right }: Plot, theme: FigureTheme): readonly string[] {
  return y.ticks.map((tick) => {
    const at = y.place(tick) as number;
    const text = textSvg(left - BESIDE_TICK_TEXT, at + 4, tickText(tick), { fill: theme.muted, anchor: 'end' });
    return lineSvg(left, at, right, at, tick === y.low ? theme.muted : theme.grid) + text;
  });
}

function xTicks({ x, top, bottom }: Plot, theme: FigureTheme): readonly string[] {
  return x.ticks.map((tick) => {
    const at = x.place(tick) as number;
    const text = textSvg(at, bottom + BELOW_TICKS - 2, tickText(tick), { fill: theme.muted, anchor: 'middle' });
    return `<path d="M${px(at)} ${px(top)}V${px(bottom)}" style="stroke:${theme.grid}"/>${lineSvg(at, bottom, at, bottom + 5, theme.muted)}${text}`;
  });
}
