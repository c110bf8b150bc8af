import { randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { makeFolder } from '#platform/make-folder.ts'

const RunnerConfig = Type.Object({
  /** Where the server is. */
  url: Type.String(),
  /** Proves to the server which runner this is. */
  token: Type.String(),
  /** How this program names itself, where several use one token. */
  system_id: Type.String(),
})
export type RunnerConfig = Static<typeof RunnerConfig>

/** What is wrong with the folder of a runner, in a sentence. */
export class BadConfig extends Error {
  override readonly name = 'BadConfig'
}

const fileIn = (folder: string) => join(folder, 'config.json')

/** Makes the folder of a runner, which nobody else may read. */
export async function prepareFolder(folder: string): Promise<void> {
  await makeFolder(folder, 0o700, '--folder')
  await chmod(folder, 0o700)
}

/** Writes the configuration of a runner: whole or not at all, and for its account alone. */
export async function writeConfig(folder: string, config: RunnerConfig): Promise<void> {
  await prepareFolder(folder)
  const draft = `${fileIn(folder)}.${process.pid}`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(config, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, fileIn(folder))
}

/** @returns undefined where there is none yet. @throws {BadConfig} */
export async function readConfig(folder: string): Promise<RunnerConfig | undefined> {
  const path = fileIn(folder)
  const about = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new BadConfig(`${path} cannot be read: ${String(error)}`)
  })
  if (about === undefined) return undefined
  if ((about.mode & 0o077) !== 0) throw new BadConfig(`others may read ${path}: run chmod 600 ${path}`)
  let config: unknown
  try {
    config = JSON.parse(await readFile(path, 'utf8'))
  } catch {
    throw new BadConfig(`${path} is no JSON`)
  }
  if (!Check(RunnerConfig, config)) throw new BadConfig(`${path} lacks url, token or system_id`)
  return config
}

/** A name for this program: the same as long as its folder is. */
export const newSystemId = (): string => `r_${randomBytes(6).toString('hex')}`
