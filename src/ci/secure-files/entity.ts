import { extname } from 'node:path'
import { type Static, Type } from 'typebox'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'

const nothing = Type.Unsafe<null>({ type: 'null', description: 'Nobody reads what is in the file.' })

/** A file that jobs may load. */
export const SecureFile = entity('SecureFile', {
  id: integer(),
  name: Type.String(),
  checksum: Type.String({ description: 'In hexadecimal.' }),
  checksum_algorithm: Type.String(),
  created_at: moment(),
  expires_at: nothing,
  metadata: nothing,
  metadata_parsable: Type.Boolean({ description: 'Whether its kind is one that other servers look into.' }),
  file_extension: nullable(Type.String()),
})

export interface SecureFileRow {
  readonly id: number
  readonly name: string
  readonly file_id: string
  readonly checksum: string
  readonly created_at: string
}

export function presentSecureFile({
  id,
  name,
  checksum,
  created_at,
}: SecureFileRow): Static<typeof SecureFile> {
  const extension = extname(name).slice(1)
  return {
    id,
    name,
    checksum,
    checksum_algorithm: 'sha256',
    created_at: iso(created_at),
    expires_at: null,
    metadata: null,
    metadata_parsable: false,
    file_extension: extension === '' ? null : extension,
  }
}
