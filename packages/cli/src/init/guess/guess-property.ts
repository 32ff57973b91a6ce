import type { Conversion, MappedProperty } from '@ldes-live/sources';
import { timeConversion, timeForm } from './guess-time.ts';
import type { SampleField, Scalar } from './sample-fields.ts';

/** What values become, without their predicate. */
export type GuessedValue = Pick<MappedProperty, 'convert' | 'datatype' | 'language' | 'languagePath'> & {
  /** What it was taken for, for people. */
  readonly remark: string;
};

const SENTINELS = [-999, -9999, -99_999, -999_999];
/** Words and signs for no value that are told of, each. */
const ODD_VALUES = 3;
const NUMERAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const COMMA_NUMERAL = /^-?(0|[1-9]\d*)(,\d+)?$/;
/** A number with points between thousands, as it is written where the fraction has a comma. */
const GROUPED_NUMERAL = /^-?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/;
/** How numbers with a decimal comma are read. */
export const COMMA = { decimal: { mark: ',' } } as const;
const GROUPED = { decimal: { mark: ',', thousands: '.' } } as const;
/** Numbers that nobody counts with. */
const NO_AMOUNT = /(^|[\s_-])id\d?$|^id|code|zip|plz|post|phone|^tel|fax|number$|nr$/i;
/** An identifier as programmers write it, unlike the end of a word. */
const CAMEL_ID = /[a-z]I[dD]\d?$/;
/** What tables have where there is no number. */
const NO_VALUE = /^([-–—*?]+|n\/?a|nan|null|none|nil|k\.? ?a\.?)$/i;
/** What tables have where there is nothing, of whatever kind the others are. */
const DASHES = /^[-–—]+$/;
const ANSWERS = /^(true|false|t|f|yes|no)$/i;

/** What the values of a field probably are, and how they are converted. */
export function guessValue(field: SampleField): GuessedValue {
  const { names, values } = field;
  const name = names.at(-1) ?? '';
  const time = timeForm(field);
  const conversion = timeConversion(field);
  if (time !== undefined && conversion) {
    return { convert: conversion.convert, remark: conversion.check ?? TIMES[time] };
  }
  if (every(values, 'boolean')) return { remark: 'true or false' };
  if (every(values, 'number')) return ofNumbers(name, values as readonly number[]);
  const texts = values.map(String);
  const isAmount = !NO_AMOUNT.test(name) && !CAMEL_ID.test(name);
  const absent = [...new Set(texts.filter((text) => NO_VALUE.test(text)))];
  const present = values.filter((value) => !NO_VALUE.test(String(value)));
  const isAbsent = (isAmount && areNumbers(present)) || absent.every((text) => DASHES.test(text));
  if (absent.length > 0 && present.length > 0 && isAbsent) {
    const { convert = [], remark } = guessValue({ ...field, values: present });
    const said = absent.map((text) => JSON.stringify(text)).join(', ');
    return {
      convert: [{ sentinel: absent }, ...[convert].flat()],
      remark: `CHECK: ${said} in ${field.path} is taken for no value; else ${remark}`,
    };
  }
  if (texts.every((text) => ANSWERS.test(text))) return { convert: 'boolean', remark: 'true or false, in words' };
  if (texts.every((text) => NUMERAL.test(text)) && isAmount) {
    const { convert, remark } = ofNumbers(name, texts.map(Number));
    const further = convert === undefined ? [] : [convert].flat();
    // A decimal is read of a text as well; for the others it is made a number first.
    const steps = further.length === 1 && further[0] === 'decimal' ? further : ['number', ...further];
    return { convert: steps.length === 1 ? (steps[0] as string) : steps, remark: `${remark}, as text` };
  }
  if (isAmount && areGrouped(texts)) {
    return { convert: GROUPED, remark: 'a number with points between thousands and a decimal comma' };
  }
  if (hasDecimalComma(values)) {
    const isUnsure = texts.every((text) => /^-?[1-9]\d{0,2}(,\d{3})?$/.test(text));
    return {
      convert: COMMA,
      remark: isUnsure
        ? `CHECK: ${field.path} has a decimal comma, and not one between thousands`
        : 'a number with a decimal comma',
    };
  }
  if (texts.every((text) => /^https?:\/\/\S+$/.test(text))) return { datatype: 'xsd:anyURI', remark: 'a page' };
  const odd = isAmount ? oddAmongNumbers(texts) : [];
  if (odd.length > 0) {
    const said = odd.map((text) => JSON.stringify(text)).join(', ');
    return {
      remark: `CHECK: ${field.path} has numbers, and also ${said}: if that is none, convert: [{ sentinel: [${said}] }, number]`,
    };
  }
  return { remark: new Set(values.map((value) => typeof value)).size > 1 ? 'mixed' : 'text' };
}

/** The few values that are no numbers where nearly all are; none where that is not so. */
function oddAmongNumbers(texts: readonly string[]): readonly string[] {
  const others = texts.filter((text) => !NUMERAL.test(text));
  const odd = [...new Set(others)];
  const areFew = others.length < texts.length / 2 && odd.length <= ODD_VALUES;
  return areFew && odd.every((text) => text.length <= 20) ? odd : [];
}

/** Whether a value stands for none. */
export function isSentinel(value: Scalar): boolean {
  return SENTINELS.includes(Number(value)) || DASHES.test(String(value));
}

const TIMES = {
  iso: 'a time with its zone',
  local: 'a time without zone',
  date: 'a date',
  epoch: 'seconds since 1970',
  epochMs: 'milliseconds since 1970',
} as const;

function ofNumbers(name: string, numbers: readonly number[]): GuessedValue {
  const sentinels = SENTINELS.filter((sentinel) => numbers.includes(sentinel));
  const absent: Conversion[] = sentinels.length > 0 ? [{ sentinel: sentinels }] : [];
  if (numbers.every((number) => number === 0 || number === 1) && /^(is|has)[A-Z_a-z]/.test(name)) {
    return { convert: 'bool01', remark: 'true or false, as 1 or 0' };
  }
  if (numbers.every(Number.isSafeInteger)) {
    return { ...(absent.length > 0 && { convert: absent }), remark: 'a whole number' };
  }
  return { convert: absent.length > 0 ? [...absent, 'decimal'] : 'decimal', remark: 'a number' };
}

function areNumbers(values: readonly Scalar[]): boolean {
  const texts = values.map(String);
  return texts.every((text) => NUMERAL.test(text)) || hasDecimalComma(values) || areGrouped(texts);
}

/** Whether all are numbers as they are written with a decimal comma, and that is told by one with both marks. */
function areGrouped(texts: readonly string[]): boolean {
  const areAll = texts.every((text) => COMMA_NUMERAL.test(text) || GROUPED_NUMERAL.test(text));
  return areAll && texts.some((text) => text.includes('.')) && texts.some((text) => text.includes(','));
}

/** Whether all are numbers in texts, some with a comma before the fraction. */
export function hasDecimalComma(values: readonly Scalar[]): boolean {
  const texts = values.map(String);
  return texts.every((text) => COMMA_NUMERAL.test(text)) && texts.some((text) => text.includes(','));
}

function every(values: readonly Scalar[], type: string): boolean {
  return values.every((value) => typeof value === type);
}
