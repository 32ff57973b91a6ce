import { namedNode } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { NamedWindow } from '../prepared-query.ts';
import type { View } from '../view.ts';
import type { TimeWindowOptions, ViewOptions } from '../view-options.ts';
import { AllView } from './all-view.ts';
import { checkWindow } from './check-window.ts';
import { CountView } from './count-view.ts';
import { LatestView } from './latest-view.ts';
import { windowGrid } from './window-grid.ts';
import { type WindowOfView, WindowsView } from './windows-view.ts';

/** What {@link createView} makes a view of. */
export interface ViewRequest {
  /** Without effect where the query names windows. */
  readonly window: ViewOptions;
  /** The windows that the query names, as {@link PreparedQuery.windows}. */
  readonly windows: readonly NamedWindow[];
  /** IRIs of the sources, as {@link CommitSource.url}. */
  readonly sources: readonly (string | undefined)[];
  /** The MAL in milliseconds: the default of `step`. */
  readonly malMs: number;
}

/**
 * An empty view.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - as {@link checkWindow} does, or a window is over a stream that no source is
 * @see specs/query.md QUERY-30
 */
export function createView({ window, windows, sources, malMs }: ViewRequest): View {
  if (windows.length > 0) {
    return new WindowsView(
      windows.map((named) => namedWindow(named, sources, malMs)),
      sources.length,
    );
  }
  checkWindow(window);
  if (window.type === 'time') return new WindowsView([timeWindow(window, malMs)], sources.length);
  if (window.type === 'count') return new CountView(window.members, sources.length);
  return window.type === 'all' ? new AllView(sources.length) : new LatestView(sources.length);
}

function namedWindow(
  { iri, stream, window }: NamedWindow,
  sources: readonly (string | undefined)[],
  malMs: number,
): WindowOfView {
  checkWindow(window);
  const source = sources.indexOf(stream);
  if (source < 0) {
    const known = sources.filter((url) => url !== undefined).map((url) => `<${url}>`);
    const expected =
      known.length > 0 ? `give one of its sources, ${known.join(', ')}` : 'none of its sources has a url, give it one';
    throw errors.ERR_QUERY_OPTION({ name: 'FROM NAMED WINDOW ... ON', value: stream, expected });
  }
  return { ...timeWindow(window, malMs), source, graph: namedNode(iri) };
}

function timeWindow(window: TimeWindowOptions, malMs: number): WindowOfView {
  return { grid: windowGrid(window, malMs), time: window.time ?? 'published' };
}
