import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readWrittenTime } from './written-times.ts'

const NEW_YEAR = '2020-01-01T00:00:00.000Z'
const read = (text: string) => {
  const at = readWrittenTime(text)
  return at === undefined ? undefined : new Date(at).toISOString()
}

test.each([
  ['ISO 8601', '2020-01-01T00:00:00Z'],
  ['ISO 8601 in lower case', '2020-01-01t00:00:00z'],
  ['ISO 8601 with a zone', '2020-01-01T01:00:00+01:00'],
  ['ISO 8601 without seconds', '2020-01-01T00:00Z'],
  ['ISO 8601 in its basic form', '20200101T000000Z'],
  ['the basic form with a zone', '20200101T053000+0530'],
  ['the basic form without a zone', '20200101T000000'],
  ['digits alone', '20200101000000'],
  ['a day', '2020-01-01'],
  ['a day in its basic form', '20200101'],
  ['no zone', '2020-01-01 00:00:00'],
  ['a comma, as in the logs of Python', '2020-01-01 00:00:00,000'],
  ['microseconds of Python', '2020-01-01 00:00:00.000000+00:00'],
  ['Ruby', '2020-01-01 00:00:00 UTC'],
  ['Ruby with an offset', '2019-12-31 19:00:00 -0500'],
  ['Rails', 'Wed, 01 Jan 2020 00:00:00 UTC +00:00'],
  ['Go', '2020-01-01 00:00:00 +0000 UTC'],
  [
    'Go with nanoseconds, a zone and its monotonic clock',
    '2020-01-01 02:00:00.000000001 +0200 CEST m=+0.000012',
  ],
  ['Go where the zone has no name', '2020-01-01 03:30:00 +0330 +0330'],
  ['the logs of Go', '2020/01/01 00:00:00'],
  ['PostgreSQL', '2020-01-01 00:00:00+00'],
  ['PostgreSQL elsewhere', '2020-01-01 05:45:00.000+05:45'],
  ['Java', 'Wed Jan 01 00:00:00 UTC 2020'],
  ['Java in Central Europe', 'Wed Jan 01 01:00:00 CET 2020'],
  ['Java with nanoseconds and the name of its zone', '2020-01-01T01:00:00.000000001+01:00[Europe/Paris]'],
  ['Java in UTC', '2020-01-01T00:00Z[UTC]'],
  ['.NET', '2020-01-01T00:00:00.0000000Z'],
  ['C', 'Wed Jan  1 00:00:00 2020'],
  ['JavaScript', 'Wed Jan 01 2020 01:00:00 GMT+0100 (Central European Standard Time)'],
  ['JavaScript in UTC', 'Wed, 01 Jan 2020 00:00:00 GMT'],
  ['e-mail', 'Tue, 31 Dec 2019 16:00:00 -0800'],
  ['e-mail with a comment', 'Wed, 1 Jan 2020 00:00:00 +0000 (UTC)'],
  ['e-mail without its day', '31 Dec 2019 19:00 EST'],
  ['RFC 850', 'Wednesday, 01-Jan-20 00:00:00 GMT'],
  ['Apache', '01/Jan/2020:00:00:00 +0000'],
  ['Zabbix', '2020.01.01 00:00:00'],
  ['people', 'January 1, 2020 12:00 AM'],
  ['systemd', 'Wed 01 Jan 2020 00:00:00 UTC'],
])('a time of %s is read', (_, text) => {
  expect(read(text)?.slice(0, 23)).toBe(NEW_YEAR.slice(0, 23))
})

test.each([
  ['2020-02-29T23:59:59.999Z', '2020-02-29T23:59:59.999Z'],
  ['2020-01-01T00:00:00,5', '2020-01-01T00:00:00.500Z'],
  ['2020-01-01 12:34:56.123456789 +0000 UTC', '2020-01-01T12:34:56.123Z'],
  ['0001-01-01 00:00:00 +0000 UTC', '0001-01-01T00:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['Jan 1, 2020, 3:04:05 PM', '2020-01-01T15:04:05.000Z'],
])('%s is %s', (text, moment) => {
  expect(read(text)).toBe(moment)
})

test.each([
  '',
  '0',
  '1',
  '12',
  '2020',
  '202001',
  'not yet',
  'not yet, attempt 1',
  'attempt 2020-01-01',
  '2020-01-01 or later',
  '2020-13-01',
  '2020-02-30',
  '2021-02-29T00:00:00Z',
  '2020-01-01T24:00:01Z',
  '2020-01-01T00:60:00Z',
  '2020-01-01T00:00:61Z',
  '2020-01-01T00:00:00+19:00',
  // Either may be the month.
  '01/02/2020 00:00:00',
  // India, Israel or Ireland.
  '2020-01-01 00:00:00 IST',
  'Foo 1, 2020',
  'Janitor 1, 2020',
  '2020-01/01',
  'null',
  'x'.repeat(1_000),
])('%j is no time', (text) => {
  expect(readWrittenTime(text)).toBeUndefined()
})

test('any other text is a moment or nothing, and takes no time', () => {
  const pieces = fc.constantFrom(
    '2020',
    '-',
    '01',
    ' ',
    'T',
    ':',
    '00',
    'Z',
    '+',
    'Jan',
    'Wed',
    ',',
    '.',
    'GMT',
    '9',
    '(',
    ']',
  )
  const texts = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 60 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const at = readWrittenTime(text)
      expect(at === undefined || Number.isFinite(at)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
  for (const piece of ['0', ' ', 'a', '2020-01-01 ', '+00', '(', 'Jan '])
    expect(readWrittenTime(piece.repeat(100_000).slice(0, 120))).toBeUndefined()
})

test('whatever JavaScript writes is read as it reads it', () => {
  const days = fc.date({ min: new Date('1970-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(days, (day) => {
      expect(readWrittenTime(day.toISOString())).toBe(day.getTime())
      const seconds = Math.floor(day.getTime() / 1000) * 1000
      expect(readWrittenTime(day.toUTCString())).toBe(seconds)
      expect(readWrittenTime(day.toString())).toBe(seconds)
    }),
  )
})
