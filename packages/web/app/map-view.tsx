/*
 * The entities of a stream on a map: they glide to their next place, and a click opens the entity.
 *
 *   changed IRIs -> positions of those alone -> MovingPoints; far away and where there are many, clusters by MapLibre
 *   other streams that are referred to, such as a timetable -> stops and shapes underneath
 */

import {
  AttributionControl,
  type GeoJSONSource,
  LngLatBounds,
  Map as MapLibre,
  NavigationControl,
  Popup,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Colouring, colouringBy, colourPaths, knownColours, learnColour, rgb } from './colours.ts';
import { type Entity, linesOf } from './entity.ts';
import { pathLabel, termLabel } from './labels.ts';
import type { LiveStream } from './live-stream.ts';
import { addDataLayers, baseStyle, CLUSTER_ZOOM, mapColours, refineLands } from './map-style.ts';
import { MovingPoints } from './moving-points.ts';
import { settings, viewHref } from './route.ts';

setWorkerUrl(new URL(workerUrl, import.meta.url).href);

/** From this many on they are clustered, far away. */
const MANY = 300;
const CLUSTER_MS = 2000;
const GLIDE_MS = 1000;
const COLOUR_MS = 15_000;
const CLICK_PIXELS = 18;
const LIMIT_BACKGROUND = 20_000;

export function MapView({ stream, related }: { readonly stream: LiveStream; readonly related: readonly LiveStream[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const live = useRef<LiveMap>(undefined);
  const [paths, setPaths] = useState<readonly string[]>([]);
  const [path, setPath] = useState<string>();
  const [legend, setLegend] = useState<Colouring['legend']>([]);
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    const shown = { paths: setPaths, path: setPath, legend: setLegend };
    try {
      const map = new LiveMap(frame.current as HTMLElement, stream, shown);
      live.current = map;
      return () => map.remove();
    } catch (error) {
      // Without WebGL there is no map, and all else goes on.
      setProblem((error as Error).message);
      return undefined;
    }
  }, [stream]);
  useEffect(() => {
    live.current?.showBelow(related);
  }, [related]);

  return (
    <div class="map-view">
      <div class="map-frame" ref={frame} />
      {problem !== undefined && <p class="notice">This browser cannot draw the map: {problem}</p>}
      {paths.length > 0 && (
        <div class="map-legend">
          <label>
            Colour by{' '}
            <select
              value={path ?? ''}
              onChange={({ currentTarget }) => live.current?.colourBy(currentTarget.value || undefined)}
            >
              <option value="">nothing</option>
              {paths.map((each) => (
                <option key={each} value={each}>
                  {pathLabel(each)}
                </option>
              ))}
            </select>
          </label>
          <ul>
            {legend.map(({ label, css }) => (
              <li key={label}>
                <span class="swatch" style={{ background: css }} /> {label}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

interface Shown {
  paths(paths: readonly string[]): void;
  path(path: string | undefined): void;
  legend(legend: Colouring['legend']): void;
}

class LiveMap {
  readonly #map: MapLibre;
  readonly #points: MovingPoints;
  readonly #stream: LiveStream;
  readonly #shown: Shown;
  readonly #ending = new AbortController();
  readonly #popup = new Popup({ closeButton: false, closeOnClick: false, offset: 14, className: 'map-popup' });
  #colouring: Colouring;
  #path: string | undefined;
  #isPathChosen = false;
  #related: readonly LiveStream[] = [];
  #isReady = false;
  #isFitted = false;
  #clusteredAtMs = 0;
  #hovered: string | undefined;
  #colouredSize = 0;
  #colouredAtMs = 0;

  constructor(frame: HTMLElement, stream: LiveStream, shown: Shown) {
    this.#stream = stream;
    this.#shown = shown;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#points = new MovingPoints(isStill ? 0 : GLIDE_MS);
    this.#colouring = colouringBy(undefined, [], rgb(mapColours()['map-accent']));
    this.#map = new MapLibre({
      container: frame,
      style: settings.style ?? baseStyle(),
      attributionControl: false,
      center: [10, 50],
      zoom: 2,
      fadeDuration: isStill ? 0 : 200,
      // One finger goes on scrolling the page.
      cooperativeGestures: matchMedia('(pointer: coarse)').matches,
    });
    const { signal } = this.#ending;
    this.#map.addControl(new NavigationControl({ visualizePitch: false }), 'top-right');
    this.#map.addControl(new ScaleControl(), 'bottom-left');
    this.#map.addControl(new AttributionControl({ compact: true }), 'bottom-right');
    // Not `load`, which waits for the coasts.
    this.#map.on('style.load', () => {
      if (settings.style === undefined) refineLands(this.#map);
      addDataLayers(this.#map);
      this.#map.addLayer(this.#points);
      this.#isReady = true;
      this.#take(new Set(stream.entities.keys()));
      this.showBelow(this.#related);
    });
    this.#map.on('zoom', () => this.#chooseWay());
    this.#map.on('click', ({ point }) => this.#open(point));
    this.#map.on('mousemove', ({ point }) =>
      this.#hover(this.#points.isShown ? this.#points.nearest(point, CLICK_PIXELS) : undefined),
    );
    this.#map.on('mouseout', () => this.#hover(undefined));
    const stopListening = stream.onChanges((changed) => this.#take(changed));
    signal.addEventListener('abort', stopListening);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    if (settings.style === undefined) scheme.addEventListener('change', () => this.#repaint(), { signal });
  }

  remove(): void {
    this.#ending.abort();
    this.#map.remove();
  }

  colourBy(path: string | undefined): void {
    this.#isPathChosen = true;
    this.#setPath(path);
  }

  /** Draws what other streams have: stops as small circles, and shapes in the colours of their routes. */
  showBelow(related: readonly LiveStream[]): void {
    this.#related = related;
    if (!this.#isReady) return;
    const all = related.flatMap(({ entities }) => (entities.size <= LIMIT_BACKGROUND ? [...entities.values()] : []));
    for (const entity of all) learnColour(entity);
    const own = [...this.#stream.entities.values()].slice(0, LIMIT_BACKGROUND);
    const grey = mapColours()['map-stop'];
    const features = (entities: readonly Entity[]) =>
      entities.flatMap((entity) => {
        const lines = linesOf(entity.member);
        const properties = { colour: knownColours.get(entity.iri) ?? grey };
        return lines.map((coordinates) => ({
          type: 'Feature' as const,
          properties,
          geometry: { type: 'LineString' as const, coordinates },
        }));
      });
    this.#set('lines', [...features(all), ...features(own)]);
    this.#set(
      'stops',
      all.flatMap((entity) => pointOf(entity, { label: entity.label })),
    );
    // What their colours are may have become known just now.
    this.#setPath(this.#path);
  }

  #set(source: string, features: GeoJSON.Feature[]): void {
    (this.#map.getSource(source) as GeoJSONSource | undefined)?.setData({ type: 'FeatureCollection', features });
  }

  #take(changed: ReadonlySet<string>): void {
    if (!this.#isReady) return;
    const { entities } = this.#stream;
    // The values that there are decide on the colours: again when there are twice as many, and now and then.
    const isDue = performance.now() - this.#colouredAtMs > COLOUR_MS;
    if (entities.size > this.#colouredSize * 2 || entities.size * 2 < this.#colouredSize || isDue) this.#choosePaths();
    for (const iri of changed) this.#place(iri, entities.get(iri));
    this.#fit();
    this.#chooseWay();
    if (this.#hovered !== undefined) this.#hover(this.#hovered, true);
  }

  #place(iri: string, entity: Entity | undefined): void {
    const position = entity?.position;
    if (!entity || !position) this.#points.remove(iri);
    else {
      const look = { headingDegrees: entity.headingDegrees, colour: this.#colouring.of(entity) };
      this.#points.put(iri, [position.longitude, position.latitude], look);
    }
  }

  #choosePaths(): void {
    const entities = [...this.#stream.entities.values()];
    this.#colouredSize = entities.length;
    this.#colouredAtMs = performance.now();
    const paths = colourPaths(entities);
    this.#shown.paths(paths);
    this.#setPath(this.#isPathChosen ? this.#path : paths[0], entities);
  }

  #setPath(path: string | undefined, entities: readonly Entity[] = [...this.#stream.entities.values()]): void {
    const colouring = colouringBy(path, entities, rgb(mapColours()['map-accent']));
    const isSame = path === this.#path && JSON.stringify(colouring.legend) === JSON.stringify(this.#colouring.legend);
    this.#path = path;
    this.#colouring = colouring;
    if (isSame) return;
    this.#shown.path(path);
    this.#shown.legend(colouring.legend);
    if (this.#isReady) for (const [iri, entity] of this.#stream.entities) this.#place(iri, entity);
  }

  /** Shows all points once, when the first state is there. */
  #fit(): void {
    if (this.#isFitted || !this.#stream.firstState || this.#points.size === 0) return;
    const bounds = new LngLatBounds();
    for (let index = 0; index < this.#points.size; index += 1) {
      const place = this.#points.whereIs(index);
      if (place) bounds.extend(place);
    }
    this.#isFitted = true;
    // Beside the legend, where there is room for both.
    const left = this.#map.getContainer().clientWidth > 700 ? 270 : 48;
    this.#map.fitBounds(bounds, { padding: { top: 48, right: 56, bottom: 48, left }, maxZoom: 15, animate: false });
  }

  /** Clusters where there are many and the map is far away; else each by itself. */
  #chooseWay(): void {
    const isClustered = this.#points.size > MANY && this.#map.getZoom() < CLUSTER_ZOOM;
    if (isClustered !== !this.#points.isShown) {
      this.#points.isShown = !isClustered;
      this.#clusteredAtMs = 0;
      this.#map.triggerRepaint();
      if (!isClustered) this.#set('clusters', []);
    }
    if (!isClustered || performance.now() - this.#clusteredAtMs < CLUSTER_MS) return;
    this.#clusteredAtMs = performance.now();
    this.#set(
      'clusters',
      [...this.#stream.entities.values()].flatMap((entity) => pointOf(entity, {})),
    );
  }

  #open(point: { readonly x: number; readonly y: number }): void {
    // Before its layers are there nothing can be clicked on.
    if (!this.#isReady) return;
    const [cluster] = this.#map.queryRenderedFeatures([point.x, point.y], { layers: ['clusters'] });
    if (cluster?.geometry.type === 'Point') {
      const center = cluster.geometry.coordinates as [number, number];
      this.#map.easeTo({ center, zoom: Math.min(this.#map.getZoom() + 2, CLUSTER_ZOOM + 1) });
      return;
    }
    const iri = this.#points.nearest(point, CLICK_PIXELS);
    if (iri !== undefined) location.hash = viewHref('entity', { iri });
  }

  #hover(iri: string | undefined, isSame = false): void {
    if (iri === this.#hovered && !isSame) return;
    this.#hovered = iri;
    this.#map.getCanvas().style.cursor = iri === undefined ? '' : 'pointer';
    const entity = iri === undefined ? undefined : this.#stream.entities.get(iri);
    const place = iri === undefined ? undefined : this.#points.whereIs(iri);
    if (entity && place) this.#popup.setLngLat(place).setText(this.#textOf(entity)).addTo(this.#map);
    else this.#popup.remove();
  }

  #textOf({ label, facts }: Entity): string {
    const [value] = (this.#path !== undefined && facts.get(this.#path)) || [];
    return value ? `${label} · ${pathLabel(this.#path as string)}: ${termLabel(value)}` : label;
  }

  #repaint(): void {
    const { 'map-sea': sea, 'map-land': land, 'map-border': border } = mapColours();
    this.#map.setPaintProperty('sea', 'background-color', sea);
    this.#map.setPaintProperty('lands', 'fill-color', land);
    this.#map.setPaintProperty('borders', 'line-color', border);
  }
}

function pointOf(entity: Entity, properties: Record<string, unknown>): GeoJSON.Feature[] {
  const { position } = entity;
  if (!position) return [];
  const coordinates = [position.longitude, position.latitude];
  return [{ type: 'Feature', properties, geometry: { type: 'Point', coordinates } }];
}
