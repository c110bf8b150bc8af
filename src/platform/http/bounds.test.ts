import Fastify from 'fastify'
import { type TSchema, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { assertBounds } from './bounds.ts'
import {
  day,
  flag,
  hash,
  idOrPath,
  integer,
  integerOr,
  list,
  moment,
  nullable,
  oneOf,
  text,
} from './schema.ts'

/** A server with one route that takes this; undefined when it starts, else why it does not. */
function refusalOf(schema: { body?: TSchema; params?: TSchema; querystring?: TSchema }, path = '/x') {
  const app = Fastify()
  assertBounds(app)
  try {
    app.post(path, { schema }, () => null)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const taking = (schema: TSchema) => refusalOf({ body: Type.Object({ a: Type.Optional(schema) }) })

describe('a route starts the server', () => {
  test('when everything that it takes has a maximum', () => {
    const all = [
      text(),
      nullable(text({ max: 10 })),
      integer(),
      integerOr(['None']),
      flag(),
      oneOf(['a']),
      day(),
      moment(),
      idOrPath(),
      list(text(), { comma: true }),
      hash(list(integer())),
      list(Type.Object({ name: text() })),
    ]
    for (const schema of all) expect(taking(schema)).toBeUndefined()
    expect(refusalOf({ params: Type.Object({ id: idOrPath() }) }, '/x/:id')).toBeUndefined()
  })
})

describe('a route does not start the server', () => {
  test.each([
    ['a text', Type.String(), 'body.a is a text without maxLength'],
    ['a text within a list', list(Type.String()), 'body.a[] is a text without maxLength'],
    ['a text within a hash', hash(Type.String()), 'body.a.^.*$ is a text without maxLength'],
    ['a text within an object', Type.Object({ b: Type.String() }), 'body.a.b is a text without maxLength'],
    ['a list', Type.Array(integer()), 'body.a is a list without maxItems'],
    [
      'a record of any keys',
      Type.Record(Type.String(), integer()),
      'body.a is a record of any keys without maxProperties and propertyNames',
    ],
  ])('that takes %s without a maximum', (_, schema, because) => {
    expect(taking(schema)).toBe(`POST /x: ${because}`)
  })

  test.each([
    [
      Type.Integer({ multipleOf: 2 }),
      'has the keyword "multipleOf", which the parameter reader does not know',
    ],
    [Type.Union([day(), integer()]), 'has the keyword "anyOf", which the parameter reader does not know'],
    [Type.Number(), 'has a type that the parameter reader does not know'],
    [Type.Unknown(), 'has a type that the parameter reader does not know'],
  ])('whose schema says what the reader of parameters does not act on', (schema, because) => {
    expect(taking(schema)).toBe(`POST /x: body.a ${because}`)
  })

  test('whose path or query is without a maximum, or whose path is not declared', () => {
    expect(refusalOf({ querystring: Type.Object({ q: Type.String() }) })).toContain('querystring.q is a text')
    expect(refusalOf({ params: Type.Object({ id: Type.String() }) }, '/x/:id')).toContain(
      'params.id is a text',
    )
    expect(refusalOf({}, '/x/:id')).toBe('POST /x/:id: params.id is not declared')
  })
})
