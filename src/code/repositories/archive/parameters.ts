import { Type } from 'typebox'
import { ById, flag, list, text } from '#platform/http/schema.ts'
import { MAX_FILE_PATH, MAX_NAME } from '../limits.ts'

/** The formats by the names that clients use; several mean the same. */
export const formats = {
  'tar.gz': 'tar.gz',
  'tar.bz2': 'tar.bz2',
  tbz: 'tar.bz2',
  tbz2: 'tar.bz2',
  tb2: 'tar.bz2',
  bz2: 'tar.bz2',
  tar: 'tar',
  zip: 'zip',
} as const

export type FormatName = keyof typeof formats

const formatNames = Object.keys(formats)
export const isFormat = (name: string): name is FormatName => formatNames.includes(name)

export const ByFormat = Type.Object({
  ...ById.properties,
  format: text({ max: 20, description: `One of ${formatNames.map((name) => `\`${name}\``).join(', ')}.` }),
})

export const ArchiveOptions = Type.Object({
  sha: Type.Optional(
    text({ max: MAX_NAME, description: 'A branch, a tag or an id; by default the default branch.' }),
  ),
  path: Type.Optional(text({ max: MAX_FILE_PATH, description: 'Only this file or folder.' })),
  exclude_paths: Type.Optional(
    list(text({ max: MAX_FILE_PATH }), { comma: true, description: 'Leaves out these files and folders.' }),
  ),
  include_lfs_blobs: flag({
    default: true,
    description: 'Archives Git LFS objects instead of the pointers that stand for them.',
  }),
})
