import type { Rules } from '#platform/http/schema.ts'
import { type JsonSchema, sentences, typesOf } from './json-schema.ts'

/**
 * Turns the schemas of routes into those of the document. A schema with a title, such as `entity()` makes, becomes a
 * component of that name, to which all its uses refer. The others stay inline.
 */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {}

  /** @throws when two different schemas have the same title. */
  use(given: JsonSchema): JsonSchema {
    if (given.title === undefined) return this.#translate(given)
    const { deprecated, ...schema } = given
    const used = this.#component(schema, given.title)
    // A use of a component can be deprecated; the component is not.
    return deprecated === undefined ? used : { allOf: [used], deprecated }
  }

  #component(schema: JsonSchema, title: string): JsonSchema {
    const types = typesOf(schema).filter((type) => type !== 'null')
    const [type] = types
    const component = this.#translate({ ...schema, ...(type === undefined ? {} : { type }) })
    this.#register(title, component)
    const reference = { $ref: `#/components/schemas/${title}` }
    return typesOf(schema).includes('null') ? { anyOf: [reference, { type: 'null' }] } : reference
  }

  #register(title: string, schema: JsonSchema): void {
    // The document has a component of that name for refusals.
    if (!/^[A-Z]\w*$/.test(title) || title === 'Error')
      throw new Error(`"${title}" cannot be the name of a component`)
    const known = this.schemas[title]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two different schemas have the title ${title}`)
    }
    this.schemas[title] = schema
  }

  #translate(schema: JsonSchema): JsonSchema {
    const { 'x-words': words } = schema
    if (words !== undefined) return withWords(schema, words)
    if (schema['x-old-null'] === true) return withOldNull(schema)
    const {
      'x-comma': comma,
      'x-after': after,
      'x-any-case': anyCase,
      'x-rules': rules,
      patternProperties,
      ...rest
    } = schema
    const { properties, items, anyOf } = rest
    const anyKey = Object.values(patternProperties ?? {})[0]
    const description = sentences(
      rest.description,
      comma ? COMMA : undefined,
      anyCase ? 'In any case.' : undefined,
      after && `Must be after ${after}.`,
      rulesInWords(rules),
    )
    return {
      ...rest,
      ...(description === undefined ? {} : { description }),
      ...(properties === undefined ? {} : { properties: this.#each(properties) }),
      ...(items === undefined ? {} : { items: this.use(items) }),
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map((one) => this.use(one)) }),
      ...(anyKey === undefined ? {} : { additionalProperties: this.use(anyKey) }),
    }
  }

  #each(properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, this.use(schema)]))
  }
}

/** A number or one of these words. */
function withWords(schema: JsonSchema, words: readonly string[]): JsonSchema {
  const { 'x-words': _, description, ...number } = schema
  const anyOf = [number, { type: 'string', enum: words }]
  return description === undefined ? { anyOf } : { description, anyOf }
}

/** Null is among the values, and deprecated. */
function withOldNull(schema: JsonSchema): JsonSchema {
  const { 'x-old-null': _, description, type: __, ...rest } = schema
  const type = typesOf(schema).filter((one) => one !== 'null')
  const anyOf = [
    { ...rest, type: type.length === 1 ? (type[0] ?? type) : type },
    { type: 'null', deprecated: true },
  ]
  return description === undefined ? { anyOf } : { description, anyOf }
}

const COMMA = 'Also taken as one text with commas between.'

/** Describes {@link Rules} for readers. JSON Schema could express them only in forms that generators cannot handle. */
export function rulesInWords(rules: Rules = {}): string | undefined {
  const names = (list: readonly string[]) => list.map((name) => `\`${name}\``).join(', ')
  const { atLeastOneOf, exactlyOneOf, allOrNoneOf, mutuallyExclusive, excludes = {}, needs = {} } = rules
  return sentences(
    atLeastOneOf && `At least one of ${names(atLeastOneOf)} is required.`,
    exactlyOneOf && `Exactly one of ${names(exactlyOneOf)} is required.`,
    allOrNoneOf && `Either all of ${names(allOrNoneOf)} or none.`,
    mutuallyExclusive && `Only one of ${names(mutuallyExclusive)} may be given.`,
    ...Object.entries(excludes).map(
      ([name, others]) => `\`${name}\` cannot be combined with ${names(others)}.`,
    ),
    ...Object.entries(needs).map(([name, other]) => `\`${name}\` needs \`${other}\`.`),
  )
}
