import { Type } from 'typebox'
import { unprocessable } from '#platform/refusals.ts'
import { text } from '#platform/http/schema.ts'

/** Bytes of a path, as the database keeps it. */
const MOST_PATH = 2_048
/** Bytes of a body: a path, with every byte escaped, and a reference. */
export const MOST_BODY = 32 * 1024
/** Locks of a page. */
const MOST_LOCKS = 100

/** Clients send all of these, and leave empty what they do not want. */
export const ListQuery = Type.Object({
  path: Type.Optional(text({ max: 8_192 })),
  id: Type.Optional(text({ max: 255 })),
  cursor: Type.Optional(text({ max: 255 })),
  limit: Type.Optional(text({ max: 255 })),
  refspec: Type.Optional(text({ max: 8_192 })),
})

const ref = Type.Optional(Type.Union([Type.Null(), Type.Object({ name: Type.Optional(Type.String()) })]))
export const LockBody = Type.Object({ path: Type.String(), ref })
export const VerifyBody = Type.Object({
  cursor: Type.Optional(Type.Union([Type.Null(), Type.String()])),
  limit: Type.Optional(Type.Union([Type.Null(), Type.Number()])),
  ref,
})
export const UnlockBody = Type.Object({
  force: Type.Optional(Type.Union([Type.Null(), Type.Boolean()])),
  ref,
})

/**
 * A path from the root of the repository, as git writes it.
 * @throws 422 for what is no path of a file in a repository
 */
export function repositoryPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const clean = parts.join('/')
  if (clean === '' || parts.includes('..') || /\0/.test(clean) || !clean.isWellFormed())
    throw unprocessable('The path is not one of a file in the repository')
  if (Buffer.byteLength(clean) > MOST_PATH) throw unprocessable(`The path is longer than ${MOST_PATH} bytes`)
  return clean
}

/** The id of a lock; undefined for what cannot be one. */
export function lockId(text: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(id) ? id : undefined
}

/** Where a page begins. @throws 422 for what this server never said */
export function cursorOf(cursor: string | null | undefined): number | undefined {
  if (cursor === undefined || cursor === null || cursor === '') return undefined
  const id = lockId(cursor)
  if (id === undefined) throw unprocessable('The cursor is not one of this server')
  return id
}

/** How many locks a page has: what was asked for, within bounds. */
export function limitOf(limit: string | number | null | undefined): number {
  const asked = Number(limit ?? 0)
  return asked >= 1 ? Math.min(Math.floor(asked), MOST_LOCKS) : MOST_LOCKS
}
