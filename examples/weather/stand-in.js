import { json, serveStandIn } from '../serve-stand-in.js';

const STATIONS = [
  { code: 'HARBOUR', label: 'Harbour', latitude: 51.2335, longitude: 2.9108, warmth: 11 },
  { code: 'DUNES', label: 'Dunes', latitude: 51.1184, longitude: 2.6312, warmth: 10 },
  { code: 'AIRFIELD', label: 'Airfield', latitude: 51.1989, longitude: 2.8622, warmth: 12 },
];

// An interface that no mapping ships for, as quirky as real ones: numbers as text, -9999 where a sensor is broken, and
// seconds since 1970.
serveStandIn(8085, () => ({
  '/weather.json': () => {
    const seconds = Math.floor(Date.now() / 1000);
    return json({
      network: 'coast',
      stations: STATIONS.map(({ code, label, latitude, longitude, warmth }, number) => ({
        code,
        label,
        position: { latitude, longitude },
        measured: seconds,
        air: {
          temperature: (warmth + 3 * Math.sin(seconds / 20 + number)).toFixed(1),
          humidity: 70 + ((seconds + 7 * number) % 25),
          pressure: number === 1 ? -9999 : 1012,
        },
        isWindy: (seconds + number) % 40 < 20 ? 1 : 0,
        serviced: null,
      })),
    });
  },
}));
