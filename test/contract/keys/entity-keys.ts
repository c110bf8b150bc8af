import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import { API } from '#platform/http/routing.ts'
import { type JsonSchema, plain, typesOf } from '#platform/openapi/json-schema.ts'

/** When the keys of an entity are null or missing. Its other keys are always there and never null. */
export interface EntityKeys {
  /** Where that is known from: the name of GitLab's entity, the specification of an area, or this server's own. */
  readonly source: string
  /** Entities whose keys it has besides, with what is said of them there. */
  readonly like?: readonly string[]
  /** Keys that may be null, with spaces between them. Those in objects without a name have a path: `a.b`, `a[].b`. */
  readonly nullable?: string
  /** When keys are there that may be missing: a reason for some of them, with spaces between; `*` for all others. */
  readonly when?: Readonly<Record<string, string>>
}

export type KeyTable = Readonly<Record<string, EntityKeys>>

/** What schemas say of an entity. */
export interface DeclaredKeys {
  readonly nullable: readonly string[]
  readonly optional: readonly string[]
}

/** The entities that routes answer with, by name; answers that have no name by route, as `GET /api/v4/metadata`. */
export function declaredKeys(routes: readonly DeclaredRoute[]): Map<string, DeclaredKeys> {
  const found = new Map<string, Collected>()
  for (const { method, url, schema, access } of routes) {
    if (access.outside === true || !url.startsWith(API)) continue
    for (const [status, answer] of Object.entries(schema.response ?? {})) {
      if (status.startsWith('2')) collect(plain(answer), [`${method} ${url.slice(API.length)}`], found)
    }
  }
  return new Map(
    [...found]
      .filter(([, { nullable, optional }]) => nullable.size + optional.size > 0)
      .map(([name, { nullable, optional }]) => [name, { nullable: [...nullable], optional: [...optional] }]),
  )
}

interface Collected {
  readonly nullable: Set<string>
  readonly optional: Set<string>
}

/** @param at the name of the entity, and the path in it. */
function collect(
  schema: JsonSchema,
  at: readonly [name: string, path?: string],
  found: Map<string, Collected>,
) {
  const [name, path = ''] =
    schema.title === undefined || schema.properties === undefined ? at : [schema.title]
  const inside = (one: JsonSchema, below: string) => collect(one, [name, below], found)
  for (const one of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) inside(one, path)
  if (schema.items !== undefined) inside(schema.items, path === '' ? path : `${path}[]`)
  if (schema.properties === undefined) return
  const keys = found.get(name) ?? { nullable: new Set(), optional: new Set() }
  found.set(name, keys)
  for (const [key, one] of Object.entries(schema.properties)) {
    const below = path === '' ? key : `${path}.${key}`
    if (mayBeNull(one)) keys.nullable.add(below)
    if (!schema.required?.includes(key)) keys.optional.add(below)
    inside(one, below)
  }
}

const mayBeNull = (schema: JsonSchema): boolean =>
  typesOf(schema).includes('null') || (schema.anyOf ?? []).some(mayBeNull)

/** What a table says of an entity, with the entities that it is like. */
export function statedKeys(table: KeyTable, name: string): { nullable: string[]; when: Map<string, string> } {
  const stated = table[name]
  if (stated === undefined) throw new Error(`${name} is in no table of keys`)
  const above = (stated.like ?? []).map((one) => statedKeys(table, one))
  const own = Object.entries(stated.when ?? {}).flatMap(([reason, keys]) =>
    words(keys).map((key) => [key, reason] as const),
  )
  return {
    nullable: [...new Set([...above.flatMap(({ nullable }) => nullable), ...words(stated.nullable ?? '')])],
    when: new Map([...above.flatMap(({ when }) => [...when]), ...own]),
  }
}

const words = (text: string) => text.split(' ').filter((word) => word !== '')
