import type { FeedEntity, FeedMessage } from '../../src/gtfs/generated/gtfs-realtime.ts';

/** A feed of these entities. */
export function feedOf(entity: readonly FeedEntity[], header: Partial<FeedMessage['header']> = {}): FeedMessage {
  return { header: { gtfs_realtime_version: '2.0', timestamp: 1_699_405_500, ...header }, entity };
}

/** What King County Metro sends of a bus. */
export const bus: FeedEntity = {
  id: '1630596716_4382',
  vehicle: {
    trip: { trip_id: '49195152', start_date: '20210902', route_id: '100001' },
    position: { latitude: Math.fround(47.636154), longitude: Math.fround(-122.370354) },
    current_stop_sequence: 169,
    timestamp: 1_630_596_690,
    stop_id: '2470',
    vehicle: { id: '4382' },
  },
};

/** What Caltrain sends of a train; the delay is added. */
export const train: FeedEntity = {
  id: '124',
  trip_update: {
    trip: { trip_id: '124', start_date: '20231107', schedule_relationship: 'SCHEDULED', route_id: 'L1' },
    stop_time_update: [
      { stop_sequence: 20, departure: { time: 1_699_405_504 }, stop_id: '70232' },
      {
        stop_sequence: 21,
        arrival: { delay: 60, time: 1_699_405_801 },
        departure: { time: 1_699_405_801 },
        stop_id: '70242',
      },
    ],
    vehicle: { id: '124' },
  },
};

/** What Brest sends of a detour. */
export const detour: FeedEntity = {
  id: '2ea09850-74d9-4db7-a537-d97d821956e8',
  alert: {
    active_period: [{ start: 1_631_635_200, end: 1_640_365_200 }],
    informed_entity: [{ route_id: '45' }],
    cause: 'CONSTRUCTION',
    effect: 'DETOUR',
    url: { translation: [{ text: 'https://www.bibus.fr/deviation/20265cf9.pdf' }] },
    header_text: { translation: [{ text: "L 45 Prolongation des travaux rue de Kermaria jusqu'au 24/12" }] },
  },
};
