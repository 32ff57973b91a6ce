import { bool01, boolean } from './boolean-converters.ts';
import { enumeration, fallbackValue, sentinel } from './choice-converters.ts';
import type { Converter } from './converter.ts';
import { milliseconds, minutes, seconds } from './duration-converters.ts';
import { item, json } from './embedded-converters.ts';
import { between, epochOrIso, ifPossible } from './feed-converters.ts';
import { add, decimal, integer, multiply, number, round } from './number-converters.ts';
import { crs, geometry, lat, lon, point } from './place-converters.ts';
import { lower, split, string, trim, upper } from './text-converters.ts';
import { date, epoch, epochMs, iso, local } from './time-converters.ts';
import { ucum } from './ucum-converter.ts';

const plain: Readonly<Record<string, Converter>> = {
  add,
  between,
  bool01,
  boolean,
  crs,
  date,
  decimal,
  default: fallbackValue,
  enum: enumeration,
  epoch,
  epochMs,
  epochOrIso,
  geometry,
  integer,
  iso,
  item,
  json,
  lat,
  local,
  lon,
  lower,
  milliseconds,
  minutes,
  multiply,
  number,
  point,
  round,
  seconds,
  sentinel,
  split,
  string,
  trim,
  ucum,
  upper,
};

/** Every converter by the name that mappings give it. @see specs/mapping-values.md MAP-50 */
export const converters: Readonly<Record<string, Converter>> = { ...plain, ifPossible: ifPossible(plain) };
