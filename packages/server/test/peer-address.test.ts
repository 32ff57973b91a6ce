import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { peerAddress } from '../src/push/admission/peer-address.ts';

function counted(remoteAddress: string | undefined, forwarded?: string): string | undefined {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return peerAddress({ socket: { remoteAddress }, headers });
}

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:CB00:7107', '203.0.113.7'],
  ['64:ff9b::cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['2001::1.2.3.4', '2001:0:0:0::/64'],
])('PUSH-28 %s is public, and counts as %s whatever header fields say', (remote, expected) => {
  expect(counted(remote)).toBe(expected);
  expect(counted(remote, '198.51.100.1')).toBe(expected);
});

test.each([
  '127.0.0.1',
  '127.0.0.2',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.1.1',
  '100.64.0.1',
  '100.127.255.255',
  '0.0.0.0',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:a00:1',
  'fd00::1',
  'fc00::1',
  'fe80::1%eth0',
  'febf::1',
])('PUSH-28 %s is local: the last public address of X-Forwarded-For counts, and without one nothing does', (remote) => {
  expect(counted(remote)).toBeUndefined();
  expect(counted(remote, '198.51.100.1')).toBe('198.51.100.1');
  expect(counted(remote, '198.51.100.1, 203.0.113.7')).toBe('203.0.113.7');
  expect(counted(remote, '198.51.100.1, 203.0.113.7,10.0.0.1 , fd00::1')).toBe('203.0.113.7');
  expect(counted(remote, '10.0.0.1')).toBeUndefined();
});

test.each([
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '128.0.0.1',
  '11.0.0.0',
  'fbff::1',
  'fec0::1',
])('PUSH-28 %s, just outside of the local networks, is public', (remote) => {
  expect(counted(remote, '198.51.100.1')).not.toBe('198.51.100.1');
  expect(counted(remote)).toBeDefined();
});

test('PUSH-28 a Unix socket is local', () => {
  expect(counted(undefined, '198.51.100.1')).toBe('198.51.100.1');
  expect(counted(undefined)).toBeUndefined();
});

test.each([
  ['198.51.100.1:49152', '198.51.100.1'],
  ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['[2001:db8::1]', '2001:db8:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::ffff:198.51.100.1', '198.51.100.1'],
])('PUSH-28 a proxy may write %s', (forwarded, expected) => {
  expect(counted('127.0.0.1', forwarded)).toBe(expected);
});

test.each(['unknown', '_hidden', '', 'x, ', '999.1.1.1', '1.2.3', '2001:db8::1:443:', '[::1', '1.2.3.4:', '01.2.3.4'])(
  'PUSH-28 behind "%s", which is no address, nothing is believed',
  (field) => {
    expect(counted('127.0.0.1', `198.51.100.1, ${field}`)).toBeUndefined();
    expect(counted('127.0.0.1', `${field}, 198.51.100.1`)).toBe('198.51.100.1');
  },
);

test('PUSH-28 no field makes it fail, and what is counted is short', () => {
  const piece = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constantFrom(',', ':', '[', ']', '%', '::', '.'));
  check(
    fc.property(
      fc.option(piece, { nil: undefined }),
      fc.array(piece).map((all) => all.join('')),
      (remote, forwarded) => {
        expect((counted(remote, forwarded) ?? '').length).toBeLessThanOrEqual('ffff:ffff:ffff:ffff::/64'.length);
      },
    ),
  );
});

test('PUSH-28 what a public client writes into the field does not change what a proxy is believed', () => {
  check(
    fc.property(fc.string(), (forged) => {
      expect(counted('172.18.0.2', `${forged}, 203.0.113.7`)).toBe('203.0.113.7');
    }),
  );
});
