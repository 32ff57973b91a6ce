/* What is in an event stream, by the cases of the web platform tests (`eventsource/format-*`, see tests/suites/NOTICE): as
 * rows, so that our parser and a browser read the same. Each event is its type, its data and the last id.
 */

/** A stream as text, and the events that it holds. */
export interface EventStreamCase {
  /** Of the file of web platform tests. */
  readonly name: string;
  readonly stream: string;
  readonly events: readonly { readonly event: string; readonly id: string; readonly data: string }[];
}

const LONG = 'x'.repeat(2 * 1024);
const message = (data: string, id = '') => ({ event: 'message', id, data });

export const EVENT_STREAM_CASES: readonly EventStreamCase[] = [
  {
    name: 'format-bom',
    stream: '\uFEFFdata:1\n\n\uFEFFdata:2\n\ndata:3\n\n',
    events: [message('1'), message('3')],
  },
  {
    name: 'format-bom-2',
    stream: '\uFEFF\uFEFFdata:1\n\ndata:2\n\ndata:3\n\n',
    events: [message('2'), message('3')],
  },
  {
    name: 'format-comments',
    stream: `data:1\r:\0\n:\r\ndata:2\n:${LONG}\rdata:3\n:data:fail\r:${LONG}\ndata:4\n\n`,
    events: [message('1\n2\n3\n4')],
  },
  {
    name: 'format-data-before-final-empty-line',
    stream: 'retry:1000\ndata:test1\n\nid:test\ndata:test2',
    events: [message('test1')],
  },
  {
    name: 'format-field-data',
    stream: 'data:\n\ndata\ndata\n\ndata:test\n\n',
    events: ['', '\n', 'test'].map((data) => message(data)),
  },
  {
    name: 'format-field-event',
    stream: 'event:update\ndata:x\n\ndata:x\n\n',
    events: [{ event: 'update', id: '', data: 'x' }, message('x')],
  },
  { name: 'format-field-event-empty', stream: 'event: \ndata:data\n\n', events: [message('data')] },
  {
    name: 'format-field-id',
    stream: 'id:…\ndata:hello\n\ndata:again\n\n',
    events: [message('hello', '…'), message('again', '…')],
  },
  { name: 'format-field-id-3', stream: 'id:…\ndata:1\n\nid\ndata:2\n\n', events: [message('1', '…'), message('2')] },
  {
    name: 'format-field-id-null',
    stream: 'id:before\ndata:1\n\nid:\0after\ndata:2\n\nid:b\0\ndata:3\n\n',
    events: [message('1', 'before'), message('2', 'before'), message('3', 'before')],
  },
  {
    name: 'format-field-parsing',
    stream:
      'data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n',
    events: [message('\0\n 2\n1\n3\n\n4')],
  },
  { name: 'format-field-retry', stream: 'retry:03000\ndata:x\n\n', events: [message('x')] },
  { name: 'format-field-retry-bogus', stream: 'retry:3000\nretry:1000x\ndata:x\n\n', events: [message('x')] },
  { name: 'format-field-retry-empty', stream: 'retry\ndata:test\n\n', events: [message('test')] },
  {
    name: 'format-field-unknown',
    stream: 'data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n',
    events: [message('test\n\ntest')],
  },
  { name: 'format-leading-space', stream: 'data:\ttest\rdata: \ndata:test\n\n', events: [message('\ttest\n\ntest')] },
  { name: 'format-newlines', stream: 'data:test\r\ndata\ndata:test\r\n\r\n', events: [message('test\n\ntest')] },
  { name: 'format-null-character', stream: 'data:\0\n\n\n\n', events: [message('\0')] },
  { name: 'format-utf-8', stream: 'data:ok…\n\n', events: [message('ok…')] },
];
