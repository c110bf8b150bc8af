import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { codeAndOperations } from './code-and-operations.ts'
import { declaredKeys, type KeyTable, statedKeys } from './entity-keys.ts'
import { peopleAndPlaces } from './people-and-places.ts'
import { planningAndActivity } from './planning-and-activity.ts'

// Strict clients tell a key that is null from one that is missing. Every body that a test causes is compared with the
// schema of its route (test/written.ts), and here the schemas are compared with a table that says when keys are there.

const tables: readonly KeyTable[] = [peopleAndPlaces, planningAndActivity, codeAndOperations]
const table: KeyTable = Object.assign({}, ...tables)

test('every key of an answer that may be null or missing is in the table, and no other one', () => {
  const declared = declaredKeys(w.running.app.declaredRoutes)
  for (const [name, { nullable, optional }] of declared) {
    const stated = statedKeys(table, name)
    const reasons = [...stated.when.keys()]
    const unstated = optional.filter((key) => !stated.when.has(key) && !stated.when.has('*'))
    expect({ name, nullable: stated.nullable.toSorted() }).toEqual({ name, nullable: nullable.toSorted() })
    expect({ name, unstated }).toEqual({ name, unstated: [] })
    const gone = reasons.filter((key) => key !== '*' && !optional.includes(key))
    expect({ name, gone }).toEqual({ name, gone: [] })
  }
  const used = new Set([...declared.keys()].flatMap(withLikes))
  expect(Object.keys(table).filter((name) => !used.has(name))).toEqual([])
})

const withLikes = (name: string): string[] => [name, ...(table[name]?.like ?? []).flatMap(withLikes)]

test('an entity is in one table, with where its keys are known from', () => {
  const names = tables.flatMap((one) => Object.keys(one))
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  for (const { source } of Object.values(table)) expect(source).toMatch(/^(?:GitLab: |specification: |own$)/)
})
