/*
 * What lies under the points: seas, lands and borders of Natural Earth, from files of the page itself. Those of 1:50 million
 * come first; where somebody looks close, those of 1:10 million take their place.
 */
import type { FeatureCollection } from 'geojson';
import type { GeoJSONSource, Map as MapLibre, StyleSpecification } from 'maplibre-gl';
import closeBorders from 'world-atlas/countries-10m.json#borders?url';
import closeLands from 'world-atlas/countries-10m.json#land?url';
import farBorders from 'world-atlas/countries-50m.json#borders?url';
import farLands from 'world-atlas/countries-50m.json#land?url';
import { readColours } from './theme.ts';

const CLOSE_ZOOM = 5;
const NOTHING: FeatureCollection = { type: 'FeatureCollection', features: [] };

/** The colours of the map, dark or light as the system has it. */
export const mapColours = () =>
  readColours('map-sea', 'map-land', 'map-border', 'map-text', 'map-halo', 'map-accent', 'map-stop');

export function baseStyle(): StyleSpecification {
  const { 'map-sea': sea, 'map-land': land, 'map-border': border } = mapColours();
  return {
    version: 8,
    sources: {
      lands: { type: 'geojson', data: addressOf(farLands), attribution: 'Natural Earth' },
      borders: { type: 'geojson', data: addressOf(farBorders) },
    },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': sea } },
      { id: 'lands', type: 'fill', source: 'lands', paint: { 'fill-color': land, 'fill-antialias': false } },
      { id: 'borders', type: 'line', source: 'borders', paint: { 'line-color': border, 'line-width': 1 } },
    ],
  };
}

/** Takes finer lands once the map is near: they are a megabyte, which who looks from afar is spared. */
export function refineLands(map: MapLibre): void {
  const look = () => {
    if (map.getZoom() < CLOSE_ZOOM) return;
    map.off('zoomend', look);
    (map.getSource('lands') as GeoJSONSource | undefined)?.setData(addressOf(closeLands));
    (map.getSource('borders') as GeoJSONSource | undefined)?.setData(addressOf(closeBorders));
  };
  map.on('zoomend', look);
  look();
}

// The map's worker, which asks for it, has another base.
const addressOf = (path: string) => new URL(path, import.meta.url).href;

/** Layers of what belongs to the points: shapes and stops below, clusters above. */
export function addDataLayers(map: MapLibre): void {
  const colours = mapColours();
  const [accent, text, halo, stop] = [
    colours['map-accent'],
    colours['map-text'],
    colours['map-halo'],
    colours['map-stop'],
  ];
  for (const id of ['lines', 'stops']) map.addSource(id, { type: 'geojson', data: NOTHING });
  map.addSource('clusters', {
    type: 'geojson',
    data: NOTHING,
    cluster: true,
    clusterRadius: 46,
    clusterMaxZoom: CLUSTER_ZOOM,
  });
  map.addLayer({
    id: 'lines',
    type: 'line',
    source: 'lines',
    layout: { 'line-join': 'round', 'line-cap': 'round' },
    paint: { 'line-color': ['get', 'colour'], 'line-width': 2, 'line-opacity': 0.55 },
  });
  map.addLayer({
    id: 'stops',
    type: 'circle',
    source: 'stops',
    minzoom: 10,
    paint: {
      'circle-radius': ['interpolate', ['linear'], ['zoom'], 10, 1.5, 14, 4],
      'circle-color': halo,
      'circle-stroke-color': stop,
      'circle-stroke-width': 1.25,
    },
  });
  map.addLayer({
    id: 'stop-names',
    type: 'symbol',
    source: 'stops',
    minzoom: 12.5,
    layout: {
      'text-field': ['get', 'label'],
      'text-size': 11,
      'text-anchor': 'top',
      'text-offset': [0, 0.6],
      'text-optional': true,
    },
    paint: { 'text-color': text, 'text-halo-color': halo, 'text-halo-width': 1.5, 'text-opacity': 0.8 },
  });
  const count = ['get', 'point_count'] as const;
  map.addLayer({
    id: 'clusters',
    type: 'circle',
    source: 'clusters',
    paint: {
      'circle-color': accent,
      'circle-opacity': 0.85,
      'circle-radius': [
        'case',
        ['has', 'point_count'],
        ['interpolate', ['linear'], ['sqrt', ['number', count as never, 1]], 1, 12, 40, 34],
        5,
      ],
      'circle-stroke-color': halo,
      'circle-stroke-width': 1.5,
    },
  });
  map.addLayer({
    id: 'cluster-counts',
    type: 'symbol',
    source: 'clusters',
    filter: ['has', 'point_count'],
    layout: { 'text-field': ['get', 'point_count_abbreviated'], 'text-size': 12, 'text-allow-overlap': true },
    paint: { 'text-color': '#ffffff' },
  });
}

/** From this zoom on each entity is drawn by itself. */
export const CLUSTER_ZOOM = 10;
