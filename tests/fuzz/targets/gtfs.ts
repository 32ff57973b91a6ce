/* Bodies of GTFS-Realtime feeds: read, mapped, appended. */
import { isStreamError } from '@ldes-live/rdf-stream';
import { createRtReader, encodeFeed, type FeedMessage } from '@ldes-live/sources';
import { PUBLIC_URL, Published, STREAM_URL } from '../published.ts';
import { accepted, type Outcome, refused, type Session, type Target, words } from '../target.ts';
import { appendSnapshot } from './append.ts';

const HEADER = { gtfs_realtime_version: '2.0', timestamp: 1_699_405_500 } as const;
const TRIP = { trip_id: '124', start_date: '20231107', start_time: '08:00:00', route_id: 'L1' };
const translated = (text: string) => ({ translation: [{ text, language: 'en' }] });
const FEEDS: readonly FeedMessage[] = [
  {
    header: HEADER,
    entity: [
      {
        id: 'bus',
        vehicle: {
          trip: { ...TRIP, schedule_relationship: 'SCHEDULED' },
          position: { latitude: 47.5, longitude: -122.25, bearing: 90, speed: 10.5, odometer: 1e5 },
          timestamp: 1_630_596_690,
          stop_id: '2470',
          vehicle: { id: '4382', label: 'x', license_plate: 'p' },
          occupancy_percentage: 50,
          multi_carriage_details: [{ id: '1', carriage_sequence: 1 }],
        },
      },
      {
        id: 'train',
        trip_update: {
          trip: TRIP,
          stop_time_update: [
            { stop_sequence: 20, departure: { time: 1_699_405_504 }, stop_id: '70232' },
            { stop_sequence: 21, arrival: { delay: -60, uncertainty: 5 }, stop_id: '70242' },
          ],
          timestamp: 1_699_405_490,
          delay: 30,
        },
      },
    ],
  },
  {
    header: { ...HEADER, incrementality: 'DIFFERENTIAL', feed_version: 'v' },
    entity: [
      {
        id: 'alert',
        alert: {
          active_period: [{ start: 1_631_635_200, end: 1_640_365_200 }],
          informed_entity: [
            { route_id: '45', trip: TRIP },
            { stop_id: '1', agency_id: 'a' },
          ],
          cause: 'CONSTRUCTION',
          effect: 'DETOUR',
          url: translated('https://host.example/a.pdf'),
          header_text: translated('h'),
          image: { localized_image: [{ url: 'https://host.example/i.png', media_type: 'image/png' }] },
        },
      },
      { id: 'shape', shape: { shape_id: 's', encoded_polyline: '_p~iF~ps|U_ulLnnqC' } },
      { id: 'stop', stop: { stop_id: 'st', stop_name: translated('S'), stop_lat: 51, stop_lon: 3 } },
      {
        id: 'detour',
        trip_modifications: {
          selected_trips: [{ trip_ids: ['124'], shape_id: 's' }],
          service_dates: ['20231107'],
          modifications: [{ start_stop_selector: { stop_sequence: 1 }, replacement_stops: [{ stop_id: 'st' }] }],
        },
      },
      { id: 'gone', is_deleted: true },
    ],
  },
];

async function open(): Promise<Session> {
  const published = await Published.open();
  const read = createRtReader({ publicUrl: PUBLIC_URL, streamUrl: STREAM_URL });
  const run = async (input: Uint8Array): Promise<Outcome> => {
    try {
      const snapshot = await read(input);
      await appendSnapshot(published, snapshot.entities);
      return accepted(Object.keys(snapshot.findings).sort().join(' '));
    } catch (error) {
      if (isStreamError(error)) return refused(error.code);
      throw error;
    }
  };
  return { run, check: () => published.check(), close: () => published.close() };
}

export const gtfsTarget: Target = {
  name: 'gtfs-rt',
  grammar: 'protobuf',
  words: words(`
    2.0 1.0 124 L1 20231107 25:61:00 en x- https://a/ javascript:0 _p~iF~ps|U
  `),
  seeds: () => FEEDS.map((feed) => encodeFeed(feed)),
  limitBytes: 262_144,
  open,
};
