import { json, serveStandIn } from '../serve-stand-in.js';

const EVERY_MS = 2000;
const PAGE = 20;
const KEPT = 40;
const WELLS = ['Well A', 'Well B'];
const beganMs = Math.floor(Date.now() / EVERY_MS) * EVERY_MS - KEPT * EVERY_MS;

/** An observation by its number, with what it belongs to: each well is read every other time. */
function observation(/** @type {number} */ number, /** @type {string} */ origin) {
  const well = number % WELLS.length;
  const time = new Date(beganMs + number * EVERY_MS).toISOString();
  return {
    '@iot.id': number,
    '@iot.selfLink': `${origin}/v1.1/Observations(${number})`,
    phenomenonTime: time,
    resultTime: time,
    result: Number((8.5 + well + Math.sin(number / 10)).toFixed(2)),
    Datastream: {
      '@iot.id': 100 + well,
      name: `Water level of ${WELLS[well]}`,
      unitOfMeasurement: { name: 'metre', symbol: 'm', definition: 'ucum:m' },
      Thing: { '@iot.id': 10 + well, name: WELLS[well] },
      Sensor: { '@iot.id': 20 + well, name: `Probe ${well}` },
      ObservedProperty: { '@iot.id': 1, name: 'Water level', definition: 'https://example.org/water-level' },
    },
    FeatureOfInterest: {
      '@iot.id': 30 + well,
      name: WELLS[well],
      feature: { type: 'Point', coordinates: [-3.2 + well / 100, 55.9] },
    },
  };
}

serveStandIn(8084, (origin) => {
  const newest = Math.floor((Date.now() - beganMs) / EVERY_MS);
  const numbers = Array.from({ length: KEPT }, (_, index) => newest - index);
  const page = (/** @type {number[]} */ some, /** @type {object} */ more) => () =>
    json({ value: some.map((number) => observation(number, origin)), ...more });
  return {
    '/v1.1/Observations': page(numbers.slice(0, PAGE), { '@iot.nextLink': `${origin}/v1.1/Observations?page=2` }),
    '/v1.1/Observations?page=2': page(numbers.slice(PAGE), {}),
  };
});
