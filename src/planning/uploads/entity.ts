import { type Static, Type } from 'typebox'
import type { ContainerKind } from '#platform/access/container-sources.ts'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { permanentUpload, writtenUpload } from './addresses.ts'
import { markdownOf, shownName } from './file-name.ts'

const Uploader = Type.Object({ id: integer(), name: Type.String(), username: Type.String() })

/** An upload as a list shows it. */
export const Upload = entity('MarkdownUpload', {
  id: integer(),
  size: integer({ description: 'In bytes.' }),
  filename: Type.String(),
  created_at: moment(),
  uploaded_by: nullable(Uploader),
})

/** An upload as texts use it. */
export const NewUpload = entity('NewMarkdownUpload', {
  id: integer(),
  alt: Type.String({ description: 'What stands for it in a text.' }),
  url: Type.String({ description: 'What texts in this project or group write.' }),
  full_path: Type.String({ description: 'Its address on this server, from everywhere.' }),
  markdown: Type.String({ description: 'Shows a picture, or links to another file.' }),
})

export interface UploadRow {
  readonly id: number
  /** In hexadecimal. */
  readonly secret: string
  readonly filename: string
  readonly file_id: string
  readonly size: number
  readonly created_at: string
  readonly uploaded_by: Static<typeof Uploader> | null
}

export const presentUpload = ({
  id,
  size,
  filename,
  created_at,
  uploaded_by,
}: UploadRow): Static<typeof Upload> => ({ id, size, filename, created_at: iso(created_at), uploaded_by })

interface Place {
  readonly kind: ContainerKind
  readonly id: number
}

export function presentNewUpload(
  place: Place,
  { id, secret, filename }: Pick<UploadRow, 'id' | 'secret' | 'filename'>,
): Static<typeof NewUpload> {
  const url = writtenUpload(secret, filename)
  return {
    id,
    alt: shownName(filename),
    url,
    full_path: permanentUpload(place.kind, place.id, secret, filename),
    markdown: markdownOf(filename, url),
  }
}
