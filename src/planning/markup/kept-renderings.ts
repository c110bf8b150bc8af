import { createHash } from 'node:crypto'
import { Kept } from '#platform/kept.ts'
import type { Rendered } from './find-references.ts'

/** Bytes of all renderings together. */
const MOST = 16 * 1024 * 1024
/** Bytes of an entry besides its HTML, and of a reference: what the objects take. */
const ENTRY = 300
const REFERENCE = 400

/** What was rendered lately, by the digest of what it was made of. It holds for everybody: nobody's rights are in it. */
export const keptRenderings = (): Kept<Rendered> =>
  new Kept<Rendered>({
    most: MOST,
    sizeOf: ({ html, references }) => ENTRY + 2 * html.length + REFERENCE * references.length,
  })

/** The key of something made of these parts. */
export const keyOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64')
