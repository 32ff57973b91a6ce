import { expect, test } from 'vitest';
import { decodeText } from '../../src/formats/decode-text.ts';
import { read, utf8 } from './documents.ts';

const bytes = (...codes: number[]) => Uint8Array.from(codes);

test('MAP-73 a document is UTF-8, unless its label says otherwise', () => {
  expect(decodeText(utf8('Straße 5 €'), undefined)).toBe('Straße 5 €');
  expect(decodeText(bytes(0x47, 0x65, 0xf6), 'iso-8859-1')).toBe('Geö');
  expect(decodeText(bytes(0xa4), 'ISO-8859-15')).toBe('€');
  expect(decodeText(bytes(0xb3), 'windows-1250')).toBe('ł');
  expect(decodeText(bytes(0x61, 0x00, 0xe9, 0x00), 'utf-16le')).toBe('aé');
});

test('MAP-73 ISO-8859-1 is windows-1252, as the Encoding Standard has it', () => {
  const all = Uint8Array.from({ length: 256 }, (_, index) => index);
  const text = decodeText(all, 'latin1');
  expect(text).toHaveLength(256);
  expect(text.slice(0, 0x80)).toBe(String.fromCharCode(...all.subarray(0, 0x80)));
  expect(text.slice(0xa0)).toBe(String.fromCharCode(...all.subarray(0xa0)));
  expect(text[0x80]).toBe('€');
  expect(text[0x99]).toBe('™');
  expect(text[0x9f]).toBe('Ÿ');
  expect(text[0x81]).toBe('\x81');
});

test('MAP-73 a byte order mark is no part of the text, and decides', () => {
  expect(decodeText(bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), undefined)).toBe('é');
  expect(decodeText(bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), 'iso-8859-1')).toBe('é');
  expect(decodeText(bytes(0xfe, 0xff, 0x00, 0x61), undefined)).toBe('a');
  expect(decodeText(bytes(0xff, 0xfe, 0x61, 0x00), 'utf-8')).toBe('a');
});

test('MAP-73 an unknown label is a named error', () => {
  for (const charset of ['utf-9', '', 'klingon']) {
    expect(read('{}', { charset })).toMatchObject({ code: 'ERR_DOCUMENT_CHARSET', charset });
  }
});

test.each<[charset: string, input: Uint8Array, near: number]>([
  ['utf-8', bytes(0x22, 0x61, 0xff, 0x22), 2],
  ['utf-8', bytes(0x22, 0xc3), 2],
  ['utf-8', bytes(0xed, 0xa0, 0x80), 1],
  ['utf-8', bytes(0xc0, 0xaf), 0],
  ['utf-16le', bytes(0x61, 0x00, 0x62), 3],
])('MAP-73 bytes that are not of %s are a named error with their place', (charset, input, near) => {
  expect(read(input, { charset })).toEqual({
    code: 'ERR_DOCUMENT_CHARSET',
    charset,
    reason: `bytes that are not of it, near byte ${near}`,
  });
});

test('MAP-73 XML names its encoding itself, unless the label says otherwise', () => {
  const xml = bytes(...utf8('<?xml version="1.0" encoding="ISO-8859-1"?><a>'), 0xe9, ...utf8('</a>'));
  expect(read(xml, { format: 'xml' })).toBe('é');
  expect(read(xml, { format: 'xml', charset: 'windows-1251' })).toBe('й');
  expect(read(xml, { format: 'xml', charset: 'utf-8' })).toMatchObject({ code: 'ERR_DOCUMENT_CHARSET' });
  expect(read('<?xml version="1.0" encoding="x-own"?><a/>', { format: 'xml' })).toMatchObject({ charset: 'x-own' });
});
