import type { MappedProperty, Mapping } from '../mapping/schema.ts';
import { freeSpaces, geometryOf, pageOf, presetPrefixes, status, totalSpaces } from './preset-terms.ts';

/** What a car park has or has not, as `T` or `F`. */
function amenity(name: string): MappedProperty {
  return {
    predicate: 'schema:amenityFeature',
    path: `properties.${name}`,
    node: {
      type: 'schema:LocationFeatureSpecification',
      properties: [
        { predicate: 'schema:name', value: name },
        { predicate: 'schema:value', path: '$this', convert: 'boolean' },
      ],
    },
  };
}

function addressOf(owner: string): MappedProperty {
  return {
    predicate: 'schema:address',
    node: {
      type: 'schema:PostalAddress',
      properties: [
        { predicate: 'schema:streetAddress', path: `properties.${owner}_strasse` },
        { predicate: 'schema:postalCode', path: `properties.${owner}_plz` },
        { predicate: 'schema:addressLocality', path: `properties.${owner}_gemeinde` },
      ],
    },
  };
}

function contactsOf(owner: string): MappedProperty[] {
  return [
    { predicate: 'schema:telephone', path: `properties.${owner}_telefon` },
    { predicate: 'schema:telephone', path: `properties.${owner}_mobil` },
    { predicate: 'schema:email', path: `properties.${owner}_email` },
    pageOf(`properties.${owner}_internet`),
  ];
}

/**
 * Car parks of the region of Karlsruhe: GeoJSON, `T` and `F` for booleans, a time of its own for each, and many that
 * are not counted.
 *
 * @see specs/presets.md PRE-11
 */
export const parkingKarlsruhe: Mapping = {
  reads: { format: 'geojson' },
  prefixes: presetPrefixes,
  records: 'features[*]',
  variables: { id: { path: 'properties.id' } },
  subject: '{+stream}/entities/car-parks/{id}',
  type: 'mv:ParkingFacility',
  versionTime: { path: 'properties.stand_freieparkplaetze', convert: 'iso' },
  ignoreForChange: ['properties.stand_freieparkplaetze'],
  documentTime: { path: 'timeStamp', convert: 'iso' },
  properties: [
    { predicate: 'dct:identifier', path: 'properties.id', datatype: 'xsd:string' },
    { predicate: 'rdfs:label', path: 'properties.parkhaus_name' },
    { predicate: 'mv:additionalInformation', path: 'properties.infofeld' },
    { predicate: 'mv:additionalInformation', path: 'properties.bemerkung' },
    { predicate: 'dct:modified', path: 'properties.stand_freieparkplaetze', convert: 'iso' },
    { predicate: 'schema:dateModified', path: 'properties.stand_stammdaten', convert: 'iso' },
    totalSpaces('properties.gesamte_parkplaetze'),
    freeSpaces('properties.freie_parkplaetze'),
    status(
      'properties.echtzeit_status',
      { OK: 'mv:Operational', Störung: 'mv:Faulty', Geschlossen: 'mv:Closed' },
      'mv:StatusUnknown',
    ),
    status('properties.geschlossen', { T: 'mv:Closed' }),
    // 0 stands for a height that is not known.
    {
      predicate: 'mv:vehicleHeightLimitInM',
      path: 'properties.max_durchfahrtshoehe',
      convert: [{ sentinel: [0] }, 'decimal'],
    },
    ...[
      'dauerparker',
      'frauenparkplaetze',
      'barrierefrei',
      'familienparkplaetze',
      'e_parken',
      'karlsruher',
      'aufzug',
    ].map(amenity),
    pageOf('properties.tarife_oeffnungszeiten'),
    {
      predicate: 'mv:entrance',
      node: {
        type: 'mv:ParkingFacilityEntrance',
        properties: [{ predicate: 'rdfs:label', path: 'properties.parkhaus_einfahrt' }],
      },
    },
    addressOf('parkhaus'),
    ...contactsOf('parkhaus'),
    {
      predicate: 'mv:operatedBy',
      node: {
        type: 'schema:Organization',
        properties: [
          { predicate: 'rdfs:label', path: 'properties.betreiber_name' },
          addressOf('betreiber'),
          ...contactsOf('betreiber'),
        ],
      },
    },
    geometryOf('geometry'),
  ],
  // Of the file; the municipality, said in the address; the district, which no term of an address fits; and whether
  // there is a free count, which the count itself says.
  leftOut: [
    'type',
    'id',
    'bbox',
    'geometry_name',
    'properties.gemeinde',
    'properties.parkhaus_stadtteil',
    'properties.echtzeit_belegung',
  ],
};
