import { type Static, Type } from 'typebox'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import type { Json } from '#platform/db/schema.ts'
import { extensionOf, isParsable } from './metadata/metadata.ts'

const metadata = Type.Unsafe<Json>({
  type: ['object', 'null'],
  description: 'What a certificate or a provisioning profile says of itself.',
})

/** A file that jobs may load. */
export const SecureFile = entity('SecureFile', {
  id: integer(),
  name: Type.String(),
  checksum: Type.String({ description: 'In hexadecimal.' }),
  checksum_algorithm: Type.String(),
  created_at: moment(),
  expires_at: nullable(moment({ description: 'As its metadata say.' })),
  metadata,
  metadata_parsable: Type.Boolean({ description: 'Whether files of its kind are looked into.' }),
  file_extension: nullable(Type.String()),
})

export interface SecureFileRow {
  readonly id: number
  readonly name: string
  readonly file_id: string
  readonly checksum: string
  readonly metadata: Json
  readonly created_at: string
}

export function presentSecureFile({
  id,
  name,
  checksum,
  metadata,
  created_at,
}: SecureFileRow): Static<typeof SecureFile> {
  return {
    id,
    name,
    checksum,
    checksum_algorithm: 'sha256',
    created_at: iso(created_at),
    expires_at: expiryIn(metadata),
    metadata,
    metadata_parsable: isParsable(name),
    file_extension: extensionOf(name),
  }
}

const expiryIn = (metadata: Json): string | null =>
  typeof metadata === 'object' &&
  metadata !== null &&
  'expires_at' in metadata &&
  typeof metadata.expires_at === 'string'
    ? metadata.expires_at
    : null
