// A chart of uPlot as a component: it follows the size of its place, and is made anew only when its options change.
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { readColours } from './theme.ts';

export type PlotData = UPlot.AlignedData;
export type PlotOptions = Omit<UPlot.Options, 'width'>;

interface Properties {
  readonly data: PlotData;
  readonly options: PlotOptions;
  /** What it shows, for those who do not see it. */
  readonly label: string;
}

export function Plot({ data, options, label }: Properties) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  useEffect(() => {
    const place = frame.current as HTMLElement;
    const made = new UPlot({ ...options, width: place.clientWidth || 300 }, data, place);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height: options.height }));
    observer.observe(place);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [options]);
  useEffect(() => plot.current?.setData(data), [data]);
  return <div class="plot" ref={frame} role="img" aria-label={label} />;
}

/** An axis in the page's colours and type. */
export function plotAxis(more: UPlot.Axis = {}): UPlot.Axis {
  const { muted, line } = readColours('muted', 'line');
  const lines = { stroke: line, width: 1 };
  return { stroke: muted, font: '11px system-ui, sans-serif', grid: lines, ticks: { ...lines, size: 4 }, ...more };
}
