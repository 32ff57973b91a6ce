/** What an observation belongs to, and the newest first: as the preset takes them. */
const QUERY =
  '$expand=Datastream($expand=Thing,Sensor,ObservedProperty),FeatureOfInterest&$orderby=phenomenonTime%20desc&$top=100';

/**
 * Where the newest observations of a SensorThings service are: the URL itself where it leads to a collection or has a
 * query.
 *
 * @param url - of the service, such as `https://sensors.example/v1.1/`, or of observations
 */
export function observationsUrl(url: string): string {
  const { pathname, search } = new URL(url);
  if (search !== '' || /Observations\/?$/.test(pathname)) return url;
  return `${url.replace(/\/?$/, '/')}Observations?${QUERY}`;
}
