import { expect, test } from 'vitest';
import { observationsUrl } from '../src/serve/observations-url.ts';

test.each(['http://a/v1.1', 'http://a/v1.1/'])('of the service %s the newest observations are asked for', (service) => {
  const url = new URL(observationsUrl(service));
  expect(url.pathname).toBe('/v1.1/Observations');
  expect(url.searchParams.get('$orderby')).toBe('phenomenonTime desc');
  expect(url.searchParams.get('$expand')).toBe('Datastream($expand=Thing,Sensor,ObservedProperty),FeatureOfInterest');
});

test.each(['http://a/v1.1/Datastreams(1)/Observations', 'http://a/v1.1/Observations?$top=5', 'http://a/?b'])(
  '%s is asked for as it stands',
  (url) => {
    expect(observationsUrl(url)).toBe(url);
  },
);
