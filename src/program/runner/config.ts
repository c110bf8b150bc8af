import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { Refused } from '../cli/command.ts'

const RunnerConfig = Type.Object({
  url: Type.String(),
  token: Type.String(),
  /** What tells this runner from others with the same token. */
  system_id: Type.String(),
  /** Jobs that run at once. */
  concurrent: Type.Integer({ minimum: 1, maximum: 100 }),
})

/** What a runner knows of its server. It holds a token, so nobody else may read its file. */
export type RunnerConfig = Static<typeof RunnerConfig>

/** Where a runner keeps its configuration, its work folders and its cache, unless a folder is named. */
export const usualFolder = (): string => join(homedir(), '.forgelet-runner')

const fileIn = (folder: string): string => join(folder, 'runner.json')

/** @throws Refused where nobody has registered a runner, or the file is damaged */
export async function readConfig(folder: string): Promise<RunnerConfig> {
  let text: string
  try {
    text = await readFile(fileIn(folder), 'utf8')
  } catch {
    throw new Refused(`there is no runner in ${folder}: call "forgelet runner register" first`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (Check(RunnerConfig, value)) return value
  } catch {
    // Told below.
  }
  throw new Refused(`${fileIn(folder)} is damaged: call "forgelet runner register" again`)
}

/** Writes the configuration, for the account of the runner alone. */
export async function writeConfig(folder: string, config: RunnerConfig): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `runner-${process.pid}.json`)
  await writeFile(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, fileIn(folder))
}

export const newSystemId = (): string => `s_${randomBytes(6).toString('hex')}`
