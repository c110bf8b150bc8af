import { type Static, type TProperties, Type } from 'typebox'
import { ById, integer } from '#platform/http/schema.ts'
import type { KindIdentity } from './identity.ts'
import type { NoteableKey } from './kind.ts'

type Named = { readonly id: string } & Readonly<Record<string, NoteableKey>>

/** The parameters of that path, and those of a longer one. */
export function byNoteable<More extends TProperties>({ key }: Pick<KindIdentity, 'key'>, more: More) {
  return Type.Unsafe<Named & Static<ReturnType<typeof Type.Object<More>>>>(
    Type.Object({ ...ById.properties, [key.param]: key.schema, ...more }),
  )
}

export const noteId = integer({ minimum: 1, description: 'The id of a note.' })
