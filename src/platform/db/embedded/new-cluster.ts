import { rm } from 'node:fs/promises'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { createCluster, syncCluster } from './cluster.ts'
import { messageOf } from './errors.ts'
import type { RunProgram } from './programs.ts'
import type { ServerLog } from './server-log.ts'
import { canKeep, hasTemplate, makeTemplate } from './template.ts'
import type { Log, Template } from './types.ts'

interface New {
  dataDir: string
  folder: string
  socketFolder: string
  account: Account
  binaries: Binaries
  env: Record<string, string>
  ephemeral: boolean
  template: Template | undefined
  run: RunProgram
  watch: (pid: number | undefined) => void
  serverLog: ServerLog
  log: Log
}

/**
 * Makes a cluster: a copy of the template if there is one that can be copied, else with initdb.
 * @returns whether its files must still be written to disk.
 */
export async function newCluster({ template, ...options }: New): Promise<boolean> {
  const { folder, binaries, ephemeral, run, log } = options
  const initialize = () => createCluster({ ...options, template: undefined })
  const skip = (error: unknown): void => log.info({ err: error }, `no template: ${messageOf(error)}`)
  if (template === undefined) return initialize()
  if (hasTemplate(template)) {
    return createCluster({ ...options, template: template.folder }).catch(async (error: unknown) => {
      skip(error)
      return initialize()
    })
  }
  await initialize()
  if (!ephemeral || !(await canKeep(template))) return false
  const sync = (draft: string) => syncCluster(draft, binaries, run)
  await makeTemplate(template, { ...options, cluster: folder, sync }).catch(async (error: unknown) => {
    skip(error)
    // Nobody knows what is in it.
    await rm(folder, { recursive: true, force: true })
    await initialize()
  })
  return false
}
