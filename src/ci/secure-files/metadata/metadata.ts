import { extname } from 'node:path'
import { certificateMetadata, type Metadata } from './certificate.ts'
import { profileMetadata } from './provisioning-profile.ts'

type MetadataReader = (bytes: Buffer) => Metadata | undefined | Promise<Metadata | undefined>

const readers: ReadonlyMap<string, MetadataReader> = new Map<string, MetadataReader>([
  ['cer', certificateMetadata],
  ['mobileprovision', profileMetadata],
])

/** Bytes of a file that is looked into, and characters of what is kept of it. */
const MOST_BYTES = 512 * 1024
const MOST_CHARACTERS = 128 * 1024

/** The end of a file's name, without the dot; null for none. */
export function extensionOf(name: string): string | null {
  const extension = extname(name).slice(1)
  return extension === '' ? null : extension
}

/** Whether files of this name are looked into. */
export const isParsable = (name: string): boolean => readers.has(extensionOf(name) ?? '')

/** Looks into a file. @returns null for other kinds, for what is not of the kind that its name says, and for what is too large */
export async function metadataOf(name: string, bytes: Buffer): Promise<Metadata | null> {
  const read = readers.get(extensionOf(name) ?? '')
  if (read === undefined || bytes.length > MOST_BYTES) return null
  const metadata = await read(bytes)
  if (metadata === undefined) return null
  const text = JSON.stringify(metadata)
  // PostgreSQL holds no NUL, and no half of a pair.
  return text.length > MOST_CHARACTERS || /\\u(?:0000|d[89a-f])/.test(text) ? null : metadata
}
