/** A place on earth, in degrees (WGS 84). */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

const METRES_PER_DEGREE = 111_195;

/** The place that lies `metres` from `from` at a bearing (degrees clockwise from north); exact enough within a city. */
export function placeAt(from: Place, bearing: number, metres: number): Place {
  const angle = (bearing * Math.PI) / 180;
  return {
    latitude: from.latitude + (metres * Math.cos(angle)) / METRES_PER_DEGREE,
    longitude: from.longitude + (metres * Math.sin(angle)) / metresPerDegreeEast(from),
  };
}

/** The way from one place of a city to another: its length and its bearing (degrees clockwise from north, [0, 360)). */
export function wayBetween(from: Place, to: Place): { lengthMetres: number; bearing: number } {
  const north = (to.latitude - from.latitude) * METRES_PER_DEGREE;
  const east = (to.longitude - from.longitude) * metresPerDegreeEast(from);
  const degrees = (Math.atan2(east, north) * 180) / Math.PI;
  return { lengthMetres: Math.hypot(north, east), bearing: (degrees + 360) % 360 };
}

function metresPerDegreeEast({ latitude }: Place): number {
  return METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
}
