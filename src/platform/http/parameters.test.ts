import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { nest } from './nested.ts'
import type { ParameterSchema } from './parameter-schema.ts'
import { readParameters } from './parameters.ts'
import {
  day,
  file,
  flag,
  hash,
  integer,
  integerOr,
  list,
  moment,
  nullable,
  oneOf,
  oneOfNumbers,
  rules,
  text,
} from './schema.ts'

const schema = Type.Object({
  text: Type.Optional(text()),
  count: Type.Optional(integer()),
  flag: Type.Optional(flag()),
  day: Type.Optional(day()),
  moment: Type.Optional(moment()),
  word: Type.Optional(oneOf(['one', 'two'])),
  level: Type.Optional(oneOfNumbers([10, 20])),
  cleared: Type.Optional(nullable(day())),
  ids: Type.Optional(list(integer(), { comma: true })),
  weight: Type.Optional(integerOr(['None', 'Any'], { minimum: 0 })),
  words: Type.Optional(list(text())),
  options: Type.Optional(hash(text())),
  entries: Type.Optional(
    list(Type.Object({ user_id: Type.Optional(integer()), level: Type.Optional(integer()) })),
  ),
  file: Type.Optional(file({ max: 1024 })),
})

const read = (input: Record<string, unknown>) => readParameters(schema as unknown as ParameterSchema, input)
const value = (input: Record<string, unknown>) => {
  const result = read(input)
  return 'value' in result ? result.value : result.problems.map(({ name, text: what }) => `${name} ${what}`)
}
const form = (query: string) => value(nest(new URLSearchParams(query)))

describe('arrays', () => {
  test('as brackets, JSON, indexes, JSON in a text and, where said, commas', () => {
    for (const query of ['ids[]=1&ids[]=2', 'ids[0]=1&ids[1]=2', 'ids=1,2', 'ids=1, 2', 'ids=[1,2]']) {
      expect(form(query)).toEqual({ ids: [1, 2] })
    }
    expect(value({ ids: [1, '2'] })).toEqual({ ids: [1, 2] })
    expect(form('words[]=a,b')).toEqual({ words: ['a,b'] })
    expect(form('words=a')).toEqual(['words is invalid'])
  })

  test('a blank element is an empty list, a wrong one is named', () => {
    expect(form('ids[]=')).toEqual({ ids: [] })
    expect(form('ids=')).toEqual({ ids: [] })
    expect(form('words=')).toEqual({})
    expect(form('ids[]=x')).toEqual(['ids is invalid'])
  })
})

describe('maxima', () => {
  const of = (count: number, value: unknown = 1): unknown[] => Array.from({ length: count }, () => value)

  test('of texts, of elements however they are sent, of keys and of files', () => {
    const long = ['text is too long (maximum is 255 characters)']
    expect(value({ text: 'x'.repeat(255) })).toEqual({ text: 'x'.repeat(255) })
    expect(value({ text: 'x'.repeat(256) })).toEqual(long)
    const many = ['ids has too many elements (maximum is 100)']
    expect(value({ ids: of(100) })).toEqual({ ids: of(100) })
    for (const ids of [
      of(101),
      of(101).join(','),
      JSON.stringify(of(101)),
      Object.fromEntries(of(101).entries()),
    ]) {
      expect(value({ ids })).toEqual(many)
    }
    expect(value({ ids: of(50, '1,2') })).toEqual({ ids: Array.from({ length: 100 }, (_, n) => (n % 2) + 1) })
    expect(value({ ids: of(51, '1,2') })).toEqual(many)
    expect(value({ ids: ','.repeat(4_000_000) })).toEqual(many)
    expect(value({ options: Object.fromEntries(of(101).map((_, n) => [n, 'x'])) })).toEqual([
      'options has too many keys (maximum is 100)',
    ])
    expect(value({ options: { ['x'.repeat(256)]: 'x' } })).toEqual([
      'options has a key that is too long (maximum is 255 characters)',
    ])
    const given = { filename: 'x', mediaType: 'image/png', data: Buffer.alloc(1025) }
    expect(value({ file: given })).toEqual(['file is too big (maximum is 1 KB)'])
  })

  test('ten problems are named and no more', () => {
    expect(value({ ids: of(100, 'x') })).toEqual(of(10, 'ids is invalid'))
    const wrong = { count: 'x', flag: 'x', day: 'x', moment: 'x', word: 'x', level: 'x', ids: of(9, 'x') }
    expect(value(wrong)).toHaveLength(10)
    expect(value({ entries: of(100, { user_id: 'x', level: 'x' }) })).toHaveLength(10)
  })

  test('numbers, dates and words are refused at once when they are long', () => {
    const long = '1'.repeat(1_000_000)
    expect(value({ count: long, day: long, weight: long })).toEqual([
      'count is invalid',
      'day is invalid',
      'weight is invalid',
    ])
  })
})

describe('hashes and arrays of hashes', () => {
  test('in every form of the specification', () => {
    const expected = { entries: [{ user_id: 1, level: 10 }, { user_id: 2 }] }
    expect(form('entries[][user_id]=1&entries[][level]=10&entries[][user_id]=2')).toEqual(expected)
    expect(form('entries[0][user_id]=1&entries[0][level]=10&entries[1][user_id]=2')).toEqual(expected)
    expect(form(`entries=${encodeURIComponent('[{"user_id":1,"level":10},{"user_id":2}]')}`)).toEqual(
      expected,
    )
    expect(value({ entries: [{ user_id: 1, level: '10' }, { user_id: 2 }] })).toEqual(expected)
    expect(form('options[a]=1&options[b]=x')).toEqual({ options: { a: '1', b: 'x' } })
  })

  test('a fault inside is named with its index', () => {
    expect(form('entries[0][user_id]=x')).toEqual(['entries[0][user_id] is invalid'])
    expect(form('options=x')).toEqual(['options is invalid'])
  })

  test('a prototype is no way in', () => {
    expect(form('__proto__[admin]=true&options[__proto__]=x')).toEqual({ options: { ['__proto__']: 'x' } })
    expect(({} as { admin?: unknown }).admin).toBeUndefined()
  })
})

test('a number or a word is either, whatever the case of the word', () => {
  expect(form('weight=3')).toEqual({ weight: 3 })
  for (const given of ['None', 'none', ' NONE ']) expect(value({ weight: given })).toEqual({ weight: 'None' })
  expect(value({ weight: 0 })).toEqual({ weight: 0 })
  expect(form('weight=')).toEqual({})
  expect(form('weight=some')).toEqual(['weight is invalid'])
  expect(form('weight=-1')).toEqual(['weight does not have a valid value'])
})

describe('dates and times', () => {
  test.each([
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21T10:00:00.5+02:00', '2026-11-21T08:00:00.500Z'],
    ['2026-11-21 10:00:00 +0200', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21T10:00-05', '2026-11-21T15:00:00.000Z'],
    // As Ruby and our own webhooks write it, and without separators.
    ['2026-11-21 10:00:00 UTC', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21 10:00:00.123456 GMT', '2026-11-21T10:00:00.123Z'],
    ['20261121T100000Z', '2026-11-21T10:00:00.000Z'],
    ['20261121T100000,5+0200', '2026-11-21T08:00:00.500Z'],
    ['20261121', '2026-11-21T00:00:00.000Z'],
  ])('%s', (given, expected) => {
    expect(value({ moment: given })).toEqual({ moment: expected })
  })

  test.each([
    '2026-02-30',
    '2026-13-01',
    '21.11.2026',
    '2026-11-21T25:00:00Z',
    'now',
    '20261-01-01',
    '2026-1121',
    '202611-21',
    '20260230T000000Z',
    '20261121T10:0000',
    '2026-11-21 10:00:00 PST',
    '2026-11-21 UTC UTC',
    '1795255200',
    'UTC',
  ])('not %s', (given) => {
    expect(value({ moment: given })).toEqual(['moment is invalid'])
    expect(value({ day: given })).toEqual(['day is invalid'])
  })

  test('any moment survives the way in', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
        (date) => {
          expect(value({ moment: date.toISOString() })).toEqual({ moment: date.toISOString() })
          expect(value({ day: date.toISOString().slice(0, 10) })).toEqual({
            day: date.toISOString().slice(0, 10),
          })
        },
      ),
    )
  })
})

describe('absence', () => {
  test('blank numbers, dates and booleans count as not given; null clears only what may be null', () => {
    expect(form('count=&flag=&day=&moment=')).toEqual({})
    expect(value({ count: null, text: null, cleared: null })).toEqual({ cleared: null })
    expect(form('cleared=')).toEqual({ cleared: null })
    expect(form('text=')).toEqual({ text: '' })
    expect(form('word=')).toEqual(['word does not have a valid value'])
  })

  test('conditions on several parameters', () => {
    const several = Type.Object(
      { a: Type.Optional(text()), b: Type.Optional(text()), c: Type.Optional(text()) },
      rules({ exactlyOneOf: ['a', 'b'], allOrNoneOf: ['b', 'c'] }),
    )
    const problems = (input: Record<string, unknown>) => {
      const result = readParameters(several as unknown as ParameterSchema, input)
      return 'problems' in result ? result.problems.map(({ name, text: what }) => `${name} ${what}`) : []
    }
    expect(problems({ a: 'x' })).toEqual([])
    expect(problems({})).toEqual(['a, b are missing, exactly one parameter must be provided'])
    expect(problems({ a: 'x', b: 'y', c: 'z' })).toEqual(['a, b are mutually exclusive'])
    expect(problems({ b: 'y' })).toEqual(['b, c provide all or none of parameters'])
  })

  test('a parameter that others exclude', () => {
    const excluding = Type.Object(
      { a: Type.Optional(text()), b: Type.Optional(text()), c: Type.Optional(text()) },
      rules({ excludes: { a: ['b', 'c'] } }),
    )
    const read = (input: Record<string, unknown>) =>
      readParameters(excluding as unknown as ParameterSchema, input)
    expect([read({ a: 'x' }), read({ b: 'y', c: 'z' })]).toEqual([
      { value: { a: 'x' } },
      { value: { b: 'y', c: 'z' } },
    ])
    expect(read({ a: 'x', b: 'y', c: 'z' })).toEqual({
      problems: [
        { name: 'a, b', text: 'are mutually exclusive', missing: false },
        { name: 'a, c', text: 'are mutually exclusive', missing: false },
      ],
    })
  })

  test('a truth value where the word for it is taken beside numbers', () => {
    const either = Type.Object({ a: integerOr(['true', 'false']) })
    const read = (a: unknown) => readParameters(either as unknown as ParameterSchema, { a })
    expect([read(true), read('FALSE'), read('5')]).toEqual([
      { value: { a: 'true' } },
      { value: { a: 'false' } },
      { value: { a: 5 } },
    ])
  })
})

describe('whatever is sent', () => {
  test('is read or named, never thrown at', () => {
    const names = Object.keys(schema.properties)
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.anything({ maxDepth: 3 })), (input) => {
        const result = read(input)
        if ('problems' in result) {
          for (const { name } of result.problems)
            expect(names.some((known) => name.startsWith(known))).toBe(true)
        } else {
          for (const name of Object.keys(result.value)) expect(names).toContain(name)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('JSON and a form with the same scalars say the same', () => {
    const scalars = fc.record(
      {
        text: fc.string().filter((s) => !s.includes('\0')),
        count: fc.maxSafeInteger(),
        flag: fc.boolean(),
        level: fc.constantFrom(10, 20),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(scalars, (input) => {
        const pairs = Object.entries(input).map(([name, given]): [string, string] => [name, String(given)])
        expect(value(nest(pairs))).toEqual(value(input))
      }),
    )
  })

  test('names of any shape nest or are refused, in the order sent', () => {
    const name = fc
      .array(fc.constantFrom('a', 'b', '[', ']', '[]', '[0]', '[k]', '__proto__'), { maxLength: 8 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string()), { maxLength: 8 }), (pairs) => {
        try {
          expect(Object.getPrototypeOf(nest(pairs))).toBeNull()
        } catch (error) {
          expect((error as Error).name).toBe('UnreadableNames')
        }
      }),
      { numRuns: 500 },
    )
  })
})
