import { datex2Parking } from './datex2-parking.ts';
import { gbfsStationStatus } from './gbfs-station-status.ts';
import { gbfsVehicleStatus } from './gbfs-vehicle-status.ts';
import { ghentGarages } from './ghent-garages.ts';
import { gios } from './gios.ts';
import { giosStation } from './gios-station.ts';
import { ngsiLdParking } from './ngsi-ld-parking.ts';
import { ngsiLdParkingSpot } from './ngsi-ld-parking-spot.ts';
import { parkapi } from './parkapi.ts';
import { parkingAalen } from './parking-aalen.ts';
import { parkingBasel } from './parking-basel.ts';
import { parkingFreiburg } from './parking-freiburg.ts';
import { parkingFreiburgParkAndRide } from './parking-freiburg-park-and-ride.ts';
import { parkingKarlsruhe } from './parking-karlsruhe.ts';
import { parkingNedap } from './parking-nedap.ts';
import type { Preset } from './preset.ts';
import { sensorThings } from './sensor-things.ts';
import { sensorThingsMqtt } from './sensor-things-mqtt.ts';
import { usgsWater } from './usgs-water.ts';
import { waqi } from './waqi.ts';

/**
 * The mappings that ship, by the name that a configuration gives them.
 *
 * @see specs/presets.md PRE-1
 */
export const presets: Readonly<Record<string, Preset>> = {
  'gbfs-station-status': {
    title: 'GBFS stations',
    description: 'How many vehicles and docks the stations of a sharing system have, with their names and places.',
    source: 'gbfs',
    mapping: gbfsStationStatus,
    exampleUrl: 'https://gbfs.citibikenyc.com/gbfs/2.3/gbfs.json',
    documentation: 'https://gbfs.org/documentation/reference/#station_statusjson',
  },
  'gbfs-vehicle-status': {
    title: 'GBFS vehicles',
    description: 'Vehicles of a sharing system that can be rented now. Their ids change after each rental.',
    source: 'gbfs',
    mapping: gbfsVehicleStatus,
    exampleUrl: 'https://api.entur.io/mobility/v2/gbfs/v3/voioslo/gbfs',
    documentation: 'https://gbfs.org/documentation/reference/#vehicle_statusjson',
  },
  sensorthings: {
    title: 'OGC SensorThings over HTTP',
    description: 'Observations with their sensor, property and feature of interest, each published once.',
    source: 'sensorThings',
    mapping: sensorThings,
    exampleUrl: 'https://sensors.bgs.ac.uk/FROST-Server/v1.1',
    documentation: 'https://docs.ogc.org/is/18-088/18-088.html',
  },
  'sensorthings-mqtt': {
    title: 'OGC SensorThings over MQTT',
    description: 'Observations as they are made, by topics such as v1.1/Datastreams(851)/Observations.',
    source: 'mqtt',
    mapping: sensorThingsMqtt,
    exampleUrl: 'mqtt://<server>:1883',
    documentation: 'https://docs.ogc.org/is/18-088/18-088.html#mqtt-extension',
  },
  'ngsi-ld-parking': {
    title: 'NGSI-LD car parks',
    description: 'Entities OffStreetParking and OnStreetParking, as key-values or normalised.',
    source: 'http',
    mapping: ngsiLdParking,
    exampleUrl: 'http://<broker>:1026/ngsi-ld/v1/entities?type=OffStreetParking&options=keyValues',
    documentation: 'https://github.com/smart-data-models/dataModel.Parking',
  },
  'ngsi-ld-parking-spot': {
    title: 'NGSI-LD parking spots',
    description: 'Entities ParkingSpot, as key-values or normalised.',
    source: 'http',
    mapping: ngsiLdParkingSpot,
    exampleUrl: 'http://<broker>:1026/ngsi-ld/v1/entities?type=ParkingSpot',
    documentation: 'https://github.com/smart-data-models/dataModel.Parking',
  },
  'ghent-garages': {
    title: 'Car parks of Ghent',
    description: 'Occupancy of the car parks of Ghent, by either version of the interface.',
    source: 'http',
    mapping: ghentGarages,
    exampleUrl:
      'https://data.stad.gent/api/explore/v2.1/catalog/datasets/bezetting-parkeergarages-real-time/exports/json',
    documentation: 'https://data.stad.gent/explore/dataset/bezetting-parkeergarages-real-time/',
  },
  'datex2-parking': {
    title: 'DATEX II parking',
    description: 'Status of parking sites of DATEX II 2, joined with their table where that is given.',
    source: 'http',
    mapping: datex2Parking,
    exampleUrl: 'https://mobilithek.info:8443/mobilithek/api/v1.0/subscription?subscriptionID=<id>',
    exampleLookups: { sites: 'https://mobilithek.info:8443/mobilithek/api/v1.0/subscription?subscriptionID=<id>' },
    documentation: 'https://docs.datex2.eu/',
  },
  parkapi: {
    title: 'ParkAPI 3',
    description: 'Parking sites in the format that many cities of Germany send, and MobiData BW publishes.',
    source: 'http',
    mapping: parkapi,
    exampleUrl: 'https://api.mobidata-bw.de/park-api/api/public/v3/parking-sites',
    documentation: 'https://github.com/ParkenDD/park-api-v3',
  },
  'parking-basel': {
    title: 'Car parks of Basel',
    description: 'Occupancy of the car parks of Basel.',
    source: 'http',
    mapping: parkingBasel,
    exampleUrl: 'https://data.bs.ch/api/v2/catalog/datasets/100088/exports/json',
    documentation: 'https://data.bs.ch/explore/dataset/100088/',
  },
  'parking-karlsruhe': {
    title: 'Car parks of the region of Karlsruhe',
    description: 'Car parks with what they offer, and free spaces where they are counted.',
    source: 'http',
    mapping: parkingKarlsruhe,
    exampleUrl:
      'https://mobil.trk.de/geoserver/TBA/ows?service=WFS&version=1.0.0&request=GetFeature&typeName=TBA%3Aparkhaeuser&outputFormat=application%2Fjson&srsName=EPSG:4326',
    documentation: 'https://web1.karlsruhe.de/service/Parken/',
  },
  'parking-freiburg': {
    title: 'Car parks of Freiburg',
    description: 'Occupancy of the car parks of Freiburg.',
    source: 'http',
    mapping: parkingFreiburg,
    exampleUrl:
      'https://geoportal.freiburg.de/wfs/gdm_pls/gdm_plslive?request=getfeature&service=wfs&version=1.1.0&typename=pls&outputformat=geojson',
    documentation: 'https://www.freiburg.de/pb/,Lde/231355.html',
  },
  'parking-freiburg-park-and-ride': {
    title: 'Park and ride of Freiburg',
    description: 'Occupancy of the park-and-ride car parks of Freiburg.',
    source: 'http',
    mapping: parkingFreiburgParkAndRide,
    exampleUrl:
      'https://geoportal.freiburg.de/wfs/gdm_pls/gdm_pls?SERVICE=WFS&REQUEST=GetFeature&SRSNAME=EPSG:4326&VERSION=2.0.0&TYPENAMES=parkandride_aktuell&OUTPUTFORMAT=geojson',
    documentation: 'https://www.freiburg.de/pb/,Lde/231355.html',
  },
  'parking-aalen': {
    title: 'Car parks of Aalen',
    description: 'Occupancy of the car parks of Aalen, which have names only.',
    source: 'http',
    mapping: parkingAalen,
    exampleUrl: 'https://www.sw-aalen.de/privatkunden/dienstleistungen/parken/parkhausbelegung.json',
    documentation: 'https://www.sw-aalen.de/privatkunden/dienstleistungen/parken/parkhaeuser',
  },
  'parking-nedap': {
    title: 'Car parks by Nedap',
    description: 'Occupancy by the interface of Nedap for car parks, as in Ellwangen.',
    source: 'http',
    mapping: parkingNedap,
    exampleUrl: 'https://ellwangen.nedapparking.com/api/v1/parkingLots',
    documentation: 'https://ellwangen.nedapparking.com',
  },
  gios: {
    title: 'Air quality of Poland, one sensor',
    description: 'Hourly means of a sensor of the network of GIOS, in local time.',
    source: 'http',
    mapping: gios,
    exampleUrl: 'https://api.gios.gov.pl/pjp-api/v1/rest/data/getData/<sensor>',
    documentation: 'https://powietrze.gios.gov.pl/pjp/content/api',
  },
  'gios-station': {
    title: 'Air quality of Poland, one station',
    description: 'The same of a station, gathered by pollutant, with the list of its sensors.',
    source: 'http',
    mapping: giosStation,
    exampleUrl: 'http://<collector>/station/<station>',
    exampleLookups: { sensors: 'https://api.gios.gov.pl/pjp-api/v1/rest/station/sensors/<station>' },
    documentation: 'https://powietrze.gios.gov.pl/pjp/content/api',
  },
  waqi: {
    title: 'World Air Quality Index, one station',
    description: 'Values of the index of a station, and its weather.',
    source: 'http',
    mapping: waqi,
    exampleUrl: 'https://api.waqi.info/feed/@<station>/?token=<token>',
    documentation: 'https://aqicn.org/json-api/doc/',
  },
  'usgs-water': {
    title: 'Water data of the USGS',
    description: 'Instantaneous values of gauges: discharge, water level, temperature and so on.',
    source: 'http',
    mapping: usgsWater,
    exampleUrl:
      'https://waterservices.usgs.gov/nwis/iv/?format=json&sites=01646500&parameterCd=00060,00065&siteStatus=all',
    documentation: 'https://waterservices.usgs.gov/docs/instantaneous-values/',
  },
};
