import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import type { Files } from '#platform/files/files.ts'
import type { Dependency, DotenvFile } from './dependencies.ts'

/** Bytes of a report with variables, and variables of one. */
const MOST_BYTES = 5 * 1024
const MOST = 50

const unzip = promisify(gunzip)

/** The variables that jobs hand on to those that get their artifacts, by their reports `dotenv`. A later job's count. */
export async function handedOn(
  { files }: { readonly files: Files },
  dependencies: readonly Pick<Dependency, 'dotenv'>[],
): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for (const { dotenv } of dependencies) {
    if (dotenv === null) continue
    for (const [key, value] of variablesIn(await textOf(files, dotenv))) all.set(key, value)
  }
  return all
}

/** Lines of the form `KEY=value`; what is none counts for nothing. */
const variablesIn = (text: string): [string, string][] =>
  text
    .split(/\r?\n/)
    .flatMap((line): [string, string][] => {
      const [, key, value] = /^\s*([a-zA-Z_]\w{0,254})\s*=(.*)$/.exec(line) ?? []
      return key === undefined || value === undefined ? [] : [[key, value.trim()]]
    })
    .slice(0, MOST)

/** The text of a report; empty for one that is gone, too large, or no such file. */
async function textOf(files: Files, { file_id, file_format }: DotenvFile): Promise<string> {
  const file = await files.find(file_id)
  if (file === undefined || file.size > MOST_BYTES) return ''
  const stream = await files.read(file)
  if (stream === undefined) return ''
  const bytes = await buffer(stream)
  if (file_format !== 'gzip') return bytes.toString('utf8')
  try {
    return (await unzip(bytes, { maxOutputLength: MOST_BYTES })).toString('utf8')
  } catch {
    return ''
  }
}
